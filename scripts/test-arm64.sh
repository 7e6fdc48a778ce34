#!/usr/bin/env bash
# Tests dsnn on 64-bit ARM, including that results are bit for bit those of other machines. Builds the program and the tests of
# kernels and engine on a Debian machine of another architecture and runs them in an emulator:
# scripts/test-arm64.sh [--no-install] [ctest options]
#
# Installs Debian's cross compiler and qemu-user if they are missing, unpacks arm64 libraries into build/arm64-sysroot
# (scripts/arm64-sysroot.sh; the packages of the machine are not changed), builds preset arm64 into build/arm64 and runs
# kernel_tests, engine_tests and all tests with the label bits, which compare with results of other machines. The first run
# takes about 15 minutes on two cores, later runs about 5 and the rebuild. --no-install: prints "skipped" (exit code 77) if
# something would have to be installed or downloaded.
set -euo pipefail
cd "$(dirname "$0")/.."

may_install=yes
case ${1:-} in
  -h | --help)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
    exit
    ;;
  --no-install)
    may_install=no
    shift
    ;;
esac
if [ $may_install = yes ]; then
  scripts/bootstrap.sh g++-aarch64-linux-gnu qemu-user
elif ! { command -v aarch64-linux-gnu-g++ && command -v qemu-aarch64 && scripts/arm64-sysroot.sh --check; } >/dev/null; then
  echo "test-arm64: skipped: it needs aarch64-linux-gnu-g++, qemu-aarch64 and build/arm64-sysroot"
  exit 77
fi
scripts/arm64-sysroot.sh
cmake --preset arm64 >/dev/null
cmake --build --preset arm64 --target dsnn_cli kernel_tests engine_tests bits_tests

# Graphs to train on, as for scripts/test.sh.
if [ -z "${DSNN_DATA:-}" ] && [ -d ../shared/data ]; then
  DSNN_DATA=$(cd ../shared/data && pwd)
  export DSNN_DATA
fi
ctest --preset arm64 -L '^(bits|emulated)$' "$@"
