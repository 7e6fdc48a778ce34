#!/usr/bin/env bash
# Installs what is missing, builds, checks the format and runs all tests:
# scripts/test.sh [release|debug|asan|tsan] [ctest options]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
shift $(($# > 0 ? 1 : 0))

# Needed only by tests: an independent implementation to compare with, and a browser. No LibTorch with sanitizers.
case $preset in
  asan | tsan) ;;
  *) scripts/bootstrap.sh libtorch-dev || echo "test: no LibTorch, comparisons with it are skipped" >&2 ;;
esac
# Optional parts of dsnn: without them it is built and tested without graphs in parts.
scripts/bootstrap.sh libopenmpi-dev openmpi-bin libmetis-dev libptscotch-dev ||
  echo "test: no MPI, graphs in parts are tested with threads only" >&2
scripts/bootstrap.sh chromium || echo "test: no chromium, browser tests are skipped" >&2
scripts/bootstrap.sh python3-pytest python3-matplotlib python3-networkx python3-pandas python3-sklearn ||
  echo "test: some Python packages are missing, the Python tests are skipped in part" >&2
scripts/build.sh "$preset"
scripts/lint.sh --format
# Tests on the benchmark graphs are skipped if the graphs are missing.
if [ -z "${DSNN_DATA:-}" ] && [ -d ../shared/data ]; then
  DSNN_DATA=$(cd ../shared/data && pwd)
  export DSNN_DATA
fi
ctest --preset "$preset" "$@"
