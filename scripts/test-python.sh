#!/usr/bin/env bash
# Tests the Python package with the newest packages of other people, in a virtual environment that stays in
# build/python-venv: scripts/test-python.sh [pytest options]. Skipped with a word where no package index answers.
#
# PYTHON names the interpreter, DSNN_C_LIBRARY the library (default: that of build/release or build/dev), DSNN_TORCH_INDEX
# an index with builds of torch for the CPU alone; the usual ones are 3 GB, most of it for CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/build/python-venv
packages=(numpy scipy pandas networkx scikit-learn matplotlib pytest mypy ruff optuna tensorboard torch torch_geometric)

if [ -z "${DSNN_C_LIBRARY:-}" ]; then
  for preset in release dev; do
    library=$PWD/build/$preset/src/c/libdsnn_c.so
    [ ! -e "$library" ] || { DSNN_C_LIBRARY=$library && break; }
  done
  [ -n "${DSNN_C_LIBRARY:-}" ] || { echo "test-python: no library; scripts/build.sh builds it" >&2 && exit 1; }
fi
export DSNN_C_LIBRARY PYTHONPATH=$PWD/python

# What is installed is noted at the end, so that an installation that was interrupted goes on, and one that is complete
# needs no index.
installed=$venv/installed
if [ "$(cat "$installed" 2>/dev/null)" != "${packages[*]}" ]; then
  [ -x "$venv/bin/pip" ] || "${PYTHON:-python3}" -m venv "$venv"
  pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }
  probe=$(mktemp -d)
  trap 'rm -rf "$probe"' EXIT
  if ! pip download -q --no-deps --no-cache-dir --retries 1 --timeout 15 --dest "$probe" packaging >/dev/null 2>&1; then
    echo "test-python: skipped: no package index answers"
    exit 0
  fi
  if [ -n "${DSNN_TORCH_INDEX:-}" ]; then
    pip install -q --index-url "$DSNN_TORCH_INDEX" torch
  fi
  pip install -q "${packages[@]}"
  echo "${packages[*]}" >"$installed"
fi

"$venv/bin/python" -c '
from importlib.metadata import version
print("test-python:", ", ".join(f"{p} {version(p)}" for p in ("numpy", "scikit-learn", "torch", "torch_geometric")))'
"$venv/bin/ruff" check -q python
"$venv/bin/ruff" format -q --check python
"$venv/bin/mypy" --no-error-summary
"$venv/bin/python" -m pytest -q "$@"
