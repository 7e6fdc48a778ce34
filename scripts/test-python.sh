#!/usr/bin/env bash
# Runs the tests of the Python package with the newest versions of other packages, ruff and mypy, in a virtual environment
# (build/python-environment): scripts/test-python.sh [--build FOLDER] [--python PYTHON] [pytest options]
#
# Takes the library and the program from a build folder (default: build/release, or build/dev). Prints "skipped" if no package
# index is reachable. Remove the environment to install newer packages. ctest runs the same tests with Debian's packages.
# DSNN_TORCH_INDEX may be an index with CPU builds of torch; the default builds take 3 GB, mostly for CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."

build=
python=python3
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
      exit
      ;;
    --build) build=$2 && shift 2 ;;
    --python) python=$2 && shift 2 ;;
    *) break ;;
  esac
done
for folder in build/release build/dev; do
  [ -n "$build" ] || [ ! -f $folder/src/c/libdsnn_c.so ] || build=$folder
done
[ -f "$build/src/c/libdsnn_c.so" ] || { echo "test-python: no build has libdsnn_c.so; run scripts/build.sh" >&2; exit 1; }

# The list of packages is written last: an interrupted installation continues, and a complete one needs no index.
packages=(matplotlib mypy networkx numpy optuna pandas pytest ruff scikit-learn scipy tensorboard torch torch_geometric)
environment=build/python-environment/$(basename "$python")
if [ "$(cat "$environment/complete" 2>/dev/null)" != "${packages[*]}" ]; then
  [ -x "$environment/bin/pip" ] || "$python" -m venv "$environment"
  pip() { "$environment/bin/python" -m pip -q --disable-pip-version-check "$@"; }
  probe=$(mktemp -d)
  trap 'rm -rf "$probe"' EXIT
  if ! pip download --no-deps --no-cache-dir --retries 1 --timeout 15 --dest "$probe" packaging >/dev/null 2>&1; then
    echo "test-python: skipped: no package index is reachable"
    exit 0
  fi
  if [ -n "${DSNN_TORCH_INDEX:-}" ]; then
    pip install --index-url "$DSNN_TORCH_INDEX" torch
  fi
  pip install "${packages[@]}"
  echo "${packages[*]}" >"$environment/complete"
fi
"$environment/bin/ruff" check -q python
"$environment/bin/ruff" format -q --check python
"$environment/bin/mypy"
DSNN_C_LIBRARY=$PWD/$build/src/c/libdsnn_c.so DSNN_PROGRAM=$PWD/$build/dsnn PYTHONPATH=python \
  "$environment/bin/python" -B -m pytest -q "$@"
# Tests that TensorBoard and Optuna read the logs.
"$environment/bin/python" -B tests/interop/check_logs.py "$PWD/$build/dsnn"
