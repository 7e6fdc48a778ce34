#!/usr/bin/env bash
# Trains the missing cells of the paper's table and figure and updates the tables in docs/reproduction.md:
# scripts/update-reproduction.sh [--no-training] [DIR]. DIR (build/reproduction) stores the runs; the same command continues
# after an interruption, and from the stored results/ (scripts/kept-runs.sh). --no-training uses the existing tables in DIR.
# Needs the graphs in $DSNN_DATA.
set -euo pipefail
train=yes out= failed=no
for word in "$@"; do
  case $word in
    --no-training) train=no ;;
    -*)
      echo "update-reproduction: unknown option $word; expected [--no-training] [DIR]" >&2
      exit 1
      ;;
    *) out=$(realpath -m "$word") ;;
  esac
done
cd "$(dirname "$0")/.."
out=${out:-build/reproduction}
page=docs/reproduction.md

if [ "$train" = yes ]; then
  scripts/kept-runs.sh restore "$out"
  scripts/build.sh release dsnn_cli
  if [ -z "${DSNN_DATA:-}" ] && [ -d ../shared/data ]; then
    DSNN_DATA=$(cd ../shared/data && pwd)
    export DSNN_DATA
  fi
  # Failures are reported; the other tables are still written. Ctrl-C stops everything.
  small="table1 --datasets texas,wisconsin,cornell --models diag-dsnn,orth-dsnn,gen-dsnn,diag-nsd,orth-nsd,gen-nsd"
  for what in "table1" "$small --seed 1" "$small --seed 2" "$small --seed 3" "table1 --variants" "figure2"; do
    compgen -G "configs/${what%% *}/*/*.toml" >/dev/null || continue
    # shellcheck disable=SC2086  # several words
    build/release/dsnn reproduce $what --out "$out" || {
      code=$?
      [ $code -lt 128 ] || exit $code
      failed=yes
    }
  done
fi

if ! compgen -G "$out/*.md" >/dev/null; then
  echo "update-reproduction: $out: contains no tables" >&2
  exit 1
fi

# Replaces the text between the two markers of a table by that table.
insert() {
  local table=$1 new
  [ -f "$out/$table" ] || return 0
  if ! grep -qxF "<!-- begin $table -->" "$page" || ! grep -qxF "<!-- end $table -->" "$page"; then
    echo "update-reproduction: $page has no place for $table, expected <!-- begin $table --> and <!-- end $table -->" >&2
    exit 1
  fi
  new=$(mktemp "$page.XXXXXX")
  awk -v table="$table" -v file="$out/$table" '
    $0 == "<!-- end " table " -->" { skip = 0; print "" }
    !skip { print }
    $0 == "<!-- begin " table " -->" {
      skip = 1
      print ""
      while ((getline line < file) > 0) print line
    }' "$page" >"$new"
  chmod --reference="$page" "$new"
  mv "$new" "$page"
}
if compgen -G "$out/seed-*/table1.csv" >/dev/null; then
  if scripts/seed_table.py "$out" >"$out/seeds.md.new"; then mv "$out/seeds.md.new" "$out/seeds.md"; fi
fi
for table in table1.md seeds.md variants.md figure2.md; do insert "$table"; done
if [ -f "$out/figure2.svg" ]; then cp "$out/figure2.svg" docs/figure2.svg; fi
scripts/kept-runs.sh save "$out"
[ "$failed" = no ]
