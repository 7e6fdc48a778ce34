#!/bin/sh
# Tests on a machine with a GPU: usage: scripts/test-gpu.sh [folder of the build] (default: build/release)
#
# Runs the tests of tests/cuda, then, where compute-sanitizer is found, its memcheck, racecheck and initcheck on the small
# cases. Prints the machine, the driver and the commit first and "N passed, N failed" last. With DSNN_GPU_BENCH=FILE, the
# benchmark (bench/gpu_bench.cpp) writes its JSON there.
set -u
build=${1:-build/release}
tests=$build/tests/cuda/cuda_tests
[ -x "$tests" ] || { echo "test-gpu.sh: there is no $tests; build it with -DDSNN_CUDA=ON" >&2; exit 2; }
echo "date    $(date -u +%Y-%m-%d)"
echo "commit  $(git rev-parse --short HEAD 2>/dev/null || cat "$build/commit" 2>/dev/null || echo unknown)"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null | sed 's/^/gpu     /'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$tests" --gtest_color=no > "$log" 2>&1
status=$?
grep -v '^\[ RUN' "$log"
passed=$(grep -c '^\[       OK' "$log")
failed=$(grep -c '^\[  FAILED  \] [A-Za-z]*\.[A-Za-z]* (' "$log")
[ $status -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
if command -v compute-sanitizer > /dev/null; then
  for tool in memcheck racecheck initcheck; do
    if compute-sanitizer --tool $tool --error-exitcode 9 "$tests" --gtest_filter=CudaOperators.AreThoseOfTheProcessor \
      > "$log" 2>&1; then
      echo "compute-sanitizer $tool: clean"
      passed=$((passed + 1))
    else
      grep '=====' "$log" | head -n 20
      echo "compute-sanitizer $tool: errors"
      failed=$((failed + 1))
    fi
  done
fi
if [ -n "${DSNN_GPU_BENCH:-}" ]; then "$build/bench/gpu_bench" > "$DSNN_GPU_BENCH"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
