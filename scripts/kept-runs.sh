#!/usr/bin/env bash
# Stores the results behind docs/reproduction.md (parameters, scores of each split, times; no weights) in results/:
# scripts/kept-runs.sh save DIR copies the finished cells of 'dsnn reproduce --out DIR' into results/;
# scripts/kept-runs.sh restore DIR copies them back, so that DIR continues from there. Runs that exist in DIR are not changed.
set -euo pipefail
if [ $# -ne 2 ] || [[ $1 != save && $1 != restore ]]; then
  echo "kept-runs: expected save DIR or restore DIR" >&2
  exit 1
fi
runs=$(realpath -m "$2")
cd "$(dirname "$0")/.."
if [ "$1" = save ]; then from=$runs to=results; else from=results to=$runs; fi
if [ ! -d "$from" ]; then
  if [ "$1" = restore ]; then exit 0; fi # nothing kept
  echo "kept-runs: $2: no such folder" >&2
  exit 1
fi

count=0
while read -r cell; do
  into=$to/$cell
  if [ "$1" = restore ]; then # as a whole, or not at all: a folder that is there is left alone
    if [ -e "$to/$cell" ]; then continue; fi
    into=$to/$cell.new
    rm -rf "$into"
  fi
  mkdir -p "$into"
  # Training records its time every ten seconds; sum these records by commit, machine and number of jobs.
  if [ -f "$from/$cell/times.txt" ]; then
    awk '{ seconds = $1; sub(/^[^ ]+/, ""); if (!($0 in sum)) order[++n] = $0; sum[$0] += seconds }
      END { for (i = 1; i <= n; ++i) printf "%.3f%s\n", sum[order[i]], order[i] }' "$from/$cell/times.txt" >"$into/times.txt"
  fi
  for file in config.toml without-classes.json result.json; do # the result last: with it a cell counts as finished
    if [ -f "$from/$cell/$file" ]; then cp "$from/$cell/$file" "$into/$file"; else rm -f "$into/$file"; fi
  done
  if [ "$1" = restore ]; then mv "$into" "$to/$cell"; fi
  count=$((count + 1))
done < <(cd "$from" && find . -name result.json -not -path '*.old-*' -not -path '*.new/*' -not -path './check/*' -printf '%P\n' | sed 's|/result.json$||' | sort)
echo "kept-runs: $1: $count cells"
