#!/usr/bin/env bash
# Trains the three DSNN families on published graphs with parameters set by hand, and prints test accuracies next
# to the expected accuracy of the best family: scripts/check-accuracy.sh [--quick] [DATASET...]. --quick trains two
# splits of the small graphs and checks every family. Needs the graphs in $DSNN_DATA. With --dsbm: DSNN and NSD on block
# models. With --baselines [MODEL...]: the other models on three graphs, next to the paper's table.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release dsnn_cli
if [ -z "${DSNN_DATA:-}" ] && [ -d ../shared/data ]; then
  DSNN_DATA=$(cd ../shared/data && pwd)
  export DSNN_DATA
fi
exec python3 scripts/check_accuracy.py "$@"
