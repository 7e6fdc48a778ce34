#!/usr/bin/env bash
# Checks sources and pages: scripts/lint.sh --format runs clang-format and the checks of pages, phrases and
# configurations, scripts/lint.sh also clang-tidy. scripts/lint.sh --fix formats in place.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/bootstrap.sh
mapfile -t sources < <(find include src tests bench examples -name '*.cpp' -o -name '*.h' -o -name '*.c' -o -name '*.cu' | sort)
[ ${#sources[@]} -gt 0 ] || { echo "lint: found no sources" >&2; exit 1; }
if [ "${1:-}" = --fix ]; then
  clang-format -i "${sources[@]}"
  exit
fi
clang-format --dry-run -Werror "${sources[@]}"
python3 scripts/check_labels.py
python3 scripts/check_excerpts.py
python3 scripts/check_markdown.py
python3 -B scripts/check_phrases.py
python3 scripts/sweep-cells.py check
[ "${1:-}" != --format ] || exit 0

# Compile commands for clang: without gcc's precompiled headers and options that only gcc has.
cmake --preset release -B build/tidy -DDSNN_BUILD_TESTS=OFF -DDSNN_PRECOMPILED_HEADERS=OFF \
  -DDSNN_HAS_CX_FORTRAN_RULES=OFF >/dev/null
tidy() { xargs -n 1 -P "$(nproc)" clang-tidy --quiet -p build/tidy "$@"; }
mapfile -t units < <(find src bench -name '*.cpp' | sort)
mapfile -t torch_units < <(grep -lE '<(ATen|torch|c10)/' "${units[@]}")
printf '%s\n' "${units[@]}" | grep -vxF "$(printf '%s\n' "${torch_units[@]}")" | tidy
# clang 14 compiles LibTorch 1.13's headers as C++20 only if this header comes first.
printf '%s\n' "${torch_units[@]}" | tidy --extra-arg=-include --extra-arg=ATen/core/ivalue.h
