#!/bin/sh
# Tests on a machine with a GPU: usage: scripts/test-gpu.sh [folder of the build] (default: build/release)
#
# Runs the tests of tests/cuda, then, where compute-sanitizer is found, its memcheck, racecheck and initcheck on the small
# cases. With a program in the build and a dataset texas, a training is killed and resumed: it must end with the files of
# an undisturbed one. Prints the machine, the driver and the commit first and "N passed, N failed" last. With DSNN_GPU_BENCH=FILE, the
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

training="train texas --model diag-dsnn --device cuda --seed 1 --splits 0-3 --jobs 2 --set epochs=5000 --set patience=5000
          --set select_by=loss"
if [ -x "$build/dsnn" ] && "$build/dsnn" info texas > /dev/null 2>&1; then
  runs=$(mktemp -d)
  "$build/dsnn" $training --out "$runs/whole" > /dev/null 2>&1
  "$build/dsnn" $training --out "$runs/killed" > /dev/null 2>&1 &
  pid=$!
  sleep 4
  kill -9 $pid 2> /dev/null
  wait $pid 2> /dev/null
  epochs=$(cat "$runs"/killed/split-*/metrics.csv 2> /dev/null | wc -l)
  "$build/dsnn" $training --out "$runs/killed" --resume > /dev/null 2>&1
  same=yes
  for file in "$runs"/whole/split-*/metrics.csv; do
    cmp -s "$file" "$runs/killed${file#"$runs/whole"}" || same=no
  done
  [ "$(ls "$runs"/whole/split-*/metrics.csv 2> /dev/null | wc -l)" = 4 ] || same=no
  if [ $same = yes ]; then
    echo "killed after $epochs lines of metrics and resumed: the same files"
    passed=$((passed + 1))
  else
    echo "killed after $epochs lines of metrics and resumed: other files"
    failed=$((failed + 1))
  fi
  rm -rf "$runs"
fi
if [ -n "${DSNN_GPU_BENCH:-}" ]; then "$build/bench/gpu_bench" > "$DSNN_GPU_BENCH"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
