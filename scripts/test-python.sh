#!/usr/bin/env bash
# Runs the tests of the Python package with the newest packages there are, ruff and mypy, in an environment of its own
# (build/python-environment): scripts/test-python.sh [--build FOLDER] [--python PYTHON] [pytest options]
#
# Takes the library and the program from a build folder (default: build/release, else build/dev). Says "skipped" (exit code 77) where
# no package index answers. To have newer packages again, remove the environment. ctest runs the same tests with Debian's packages.
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
[ -f "$build/src/c/libdsnn_c.so" ] || { echo "test-python: no build has libdsnn_c.so; scripts/build.sh makes one" >&2; exit 1; }

environment=build/python-environment/$(basename "$python")
if [ ! -f "$environment/complete" ]; then
  rm -rf "$environment"
  "$python" -m venv "$environment"
  if ! "$environment/bin/pip" -q install matplotlib mypy networkx numpy pandas pytest ruff scikit-learn scipy; then
    echo "test-python: skipped: the packages cannot be installed"
    exit 77
  fi
  touch "$environment/complete"
fi
"$environment/bin/ruff" check -q python
"$environment/bin/ruff" format -q --check python
"$environment/bin/mypy"
DSNN_C_LIBRARY=$PWD/$build/src/c/libdsnn_c.so DSNN_PROGRAM=$PWD/$build/dsnn PYTHONPATH=python \
  "$environment/bin/python" -B -m pytest -q "$@"
