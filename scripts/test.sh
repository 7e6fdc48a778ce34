#!/usr/bin/env bash
# Installs what is missing, builds, checks the format and runs all tests:
# scripts/test.sh [release|debug|asan|tsan] [ctest options]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
shift $(($# > 0 ? 1 : 0))

# For tests alone: an independent implementation to compare with, and a browser. With sanitizers LibTorch is left out.
case $preset in
  asan | tsan) ;;
  *) scripts/bootstrap.sh libtorch-dev || echo "test: no LibTorch, so nothing is compared with it" >&2 ;;
esac
scripts/bootstrap.sh chromium || echo "test: no chromium, so no page is opened in a browser" >&2
scripts/bootstrap.sh python3-pytest python3-matplotlib python3-networkx python3-pandas python3-sklearn ||
  echo "test: no pytest, or not all that the Python package takes graphs from" >&2
scripts/build.sh "$preset"
scripts/lint.sh --format
# Tests on the benchmark graphs run where those are, and say 'skipped' elsewhere.
if [ -z "${DSNN_DATA:-}" ] && [ -d ../shared/data ]; then
  DSNN_DATA=$(cd ../shared/data && pwd)
  export DSNN_DATA
fi
ctest --preset "$preset" "$@"
