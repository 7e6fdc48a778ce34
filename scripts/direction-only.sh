#!/bin/sh
# What makes a sheaf network see a class that follows from directions alone (docs/training.md): the paper's layer, and what
# changes it, on scripts/make_csv_graphs.py's graph 'transfers'; MagNet for comparison. Five minutes on one core.
#   scripts/direction-only.sh [PROGRAM]      default: build/release/dsnn
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${1:-$root/build/release/dsnn}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$root/scripts/make_csv_graphs.py" "$folder" transfers >"$folder/log"

# train MODEL SETTING...: on top of the parameters of the model's paper (configs/defaults/paper.txt).
train() {
  model=$1
  shift
  set -- $(grep "^$model " "$root/configs/defaults/paper.txt" | cut -d' ' -f2-) layers=4 "$@"
  for setting in "$@"; do
    shift
    set -- "$@" --set "$setting"
  done
  "$program" train --edges "$folder/transfers/edges.csv" --nodes "$folder/transfers/nodes.csv" --label-column segment \
    --split 48/32/20 --splits 0-2 --set patience=100 --model "$model" "$@" 2>"$folder/log" | tail -n 1 |
    sed 's/.*test accuracy \(.*\) % over.*/\1/'
}

echo "| model | changed | test accuracy |"
echo "|---|---|---|"
for settings in "" maps=random maps=identity order=2 order=4 diagonal=drop activation=none imag_init=copy input_act=none \
  "diagonal=drop activation=none" "maps=identity activation=none" "maps=identity diagonal=drop" "maps=identity order=2"; do
  echo "| diag-dsnn | $settings | $(train diag-dsnn $settings) |"
done
echo "| magnet | order=2 | $(train magnet order=2) |"
