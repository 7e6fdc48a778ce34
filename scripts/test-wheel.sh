#!/usr/bin/env bash
# Tests an installed wheel: scripts/test-wheel.sh WHEEL [PYTHON...]
#
# For each Python (default: all of python3.9 and newer that are found), installs the wheel into a virtual environment and runs
# python/tests. Prints "skipped" without a package index, or if NumPy cannot be installed. A wheel for another architecture is
# tested in an emulator, with the Python of build/arm64-sysroot-python.
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=${1:?expected a wheel}
shift
unset PYTHONPATH DSNN_C_LIBRARY

if [[ $wheel != *"$(uname -m)".whl ]]; then
  exec scripts/test-wheel-arm64.sh "$wheel"
fi
pythons=("$@")
if [ $# = 0 ]; then
  for minor in 9 10 11 12 13 14; do
    command -v "python3.$minor" >/dev/null && pythons+=("python3.$minor")
  done
fi
[ ${#pythons[@]} -gt 0 ] || { echo "test-wheel: skipped: no python3.9 or newer"; exit 77; }
for python in "${pythons[@]}"; do
  environment=build/wheel-tests/$(basename "$python")
  rm -rf "$environment"
  if ! "$python" -m venv "$environment" 2>/dev/null; then
    echo "test-wheel: $python: skipped: it cannot create virtual environments"
    continue
  fi
  if ! "$environment/bin/pip" -q install "$wheel" numpy pytest scipy scikit-learn networkx pandas 2>"$environment/log"; then
    echo "test-wheel: $python: skipped: no packages for it ($(tail -1 "$environment/log"))"
    continue
  fi
  echo "test-wheel: $("$environment/bin/python" -c 'import sys, numpy; print(sys.version.split()[0], "with NumPy", numpy.__version__)')"
  # In another folder, so that the installed package is imported.
  "$environment/bin/python" -B -m pytest -q -c /dev/null --rootdir python/tests --confcutdir python/tests python/tests
done
