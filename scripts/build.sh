#!/usr/bin/env bash
# Installs what is missing and builds a preset, or some of its targets:
# scripts/build.sh [release|debug|asan|tsan] [target...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
shift $(($# > 0 ? 1 : 0))

scripts/bootstrap.sh
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" ${1:+--target "$@"}
