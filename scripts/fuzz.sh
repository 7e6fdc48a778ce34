#!/usr/bin/env bash
# Fuzzes the readers under sanitizers: scripts/fuzz.sh [seconds for each target] [target...], 300 seconds and all
# targets of tests/fuzz if not given, two at a time. New inputs stay in build/fuzz/found; to add the useful
# ones to the repository, run scripts/fuzz.sh --merge.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang++ >/dev/null; then
  echo "fuzz: clang++ with libFuzzer is needed; on Debian: apt-get install clang libclang-rt-dev" >&2
  exit 1
fi
is_merge=no
if [ "${1:-}" = --merge ]; then
  is_merge=yes
  shift
fi
seconds=300
if [[ "${1:-}" =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cpp; do targets+=("$(basename "$source" _fuzz.cpp)"); done
fi
for target in "${targets[@]}"; do
  [ -f "tests/fuzz/${target}_fuzz.cpp" ] || { echo "fuzz: no target '$target' in tests/fuzz" >&2; exit 1; }
done

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
# Inputs are written to files, in memory if possible.
base=/dev/shm
[ -w "$base" ] || base=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d "$base/dsnn-fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# Limits on memory and time, generous for inputs of a few kilobytes.
limits=(-rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=30 -entropic_scale_per_exec_time=1)

# Keeps those inputs of the corpus and of the new inputs that add coverage, preferring small ones.
merge() {
  local name=$1 corpus=tests/fuzz/corpus/$1 merged=build/fuzz/merged/$1
  rm -rf "$merged"
  mkdir -p "$merged" "build/fuzz/found/$name"
  "build/fuzz/tests/fuzz/${name}_fuzz" "${limits[@]}" -max_len=2048 -set_cover_merge=1 -use_counters=0 "$merged" "$corpus" \
    "build/fuzz/found/$name" >"build/fuzz/$name.merge.log" 2>&1
  cp -n "$merged"/* "$corpus"/
  echo "$name: $(ls "$corpus" | wc -l) inputs, $(du -bs "$corpus" | cut -f1) bytes"
}

fuzz() {
  local name=$1 log=build/fuzz/$1.log found=build/fuzz/found/$1 result=clean dictionary=()
  mkdir -p "$found" build/fuzz/crashes
  [ ! -f "tests/fuzz/$name.dict" ] || dictionary=("-dict=tests/fuzz/$name.dict")
  "build/fuzz/tests/fuzz/${name}_fuzz" "${limits[@]}" "${dictionary[@]}" -max_len=4096 -print_final_stats=1 \
    -max_total_time="$seconds" -artifact_prefix="build/fuzz/crashes/$name-" "$found" "tests/fuzz/corpus/$name" \
    >"$log" 2>&1 || result="FAILED, $(grep -ao 'Test unit written to .*' "$log" | tail -1) ($log)"
  local runs cover
  runs=$(grep -a 'stat::number_of_executed_units' "$log" | awk '{print $2}')
  cover() { grep -a ' cov: ' "$log" | "$@" | sed -n 's/.* cov: \([0-9]*\).*/\1/p'; }
  echo "$name: ${runs:-?} executions, coverage $(cover grep -a -m1 INITED) -> $(cover tail -n 1), $result"
  [ "$result" = clean ]
}

failed=0
running=0
for target in "${targets[@]}"; do
  if [ $is_merge = yes ]; then
    merge "$target"
    continue
  fi
  if [ $running -eq 2 ]; then
    wait -n || failed=1
    running=1
  fi
  fuzz "$target" &
  running=$((running + 1))
done
while [ $running -gt 0 ]; do
  wait -n || failed=1
  running=$((running - 1))
done
exit $failed
