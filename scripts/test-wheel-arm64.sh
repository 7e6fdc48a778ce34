#!/usr/bin/env bash
# Tests a wheel for 64-bit ARM on another architecture, in an emulator: scripts/test-wheel-arm64.sh WHEEL
#
# Uses Debian's Python and NumPy for arm64 in build/arm64-sysroot-python (scripts/arm64-sysroot.sh --python). Tests that start
# other programs, fork with threads (which qemu does not support), measure time or take long in an emulator are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=${1:?expected a wheel}

scripts/bootstrap.sh qemu-user
scripts/arm64-sysroot.sh --python
sysroot=$PWD/build/arm64-sysroot-python
libraries=$sysroot/usr/lib/aarch64-linux-gnu
package=build/wheel-tests/arm64
rm -rf $package
python3 -m zipfile -e "$wheel" $package
PYTHONHOME=$sysroot/usr PYTHONPATH=$PWD/$package:$sysroot/usr/lib/python3/dist-packages \
  qemu-aarch64 -L "$sysroot" -E "LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack" \
  "$sysroot"/usr/bin/python3.[0-9]* -B -m pytest -q -p no:cacheprovider -c /dev/null --rootdir python/tests --confcutdir python/tests \
  python/tests/test_graph.py python/tests/test_dataset.py python/tests/test_operators.py python/tests/test_training.py \
  python/tests/test_misuse.py -k 'not cost_little and not imported and not ctrl_c and not ten_thousand and not report and not forked'
