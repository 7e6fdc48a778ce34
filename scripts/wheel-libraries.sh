#!/usr/bin/env bash
# Builds the dependencies of the Python wheel from Debian's sources as static libraries, so that the wheel contains one shared
# library: scripts/wheel-libraries.sh x86_64|aarch64
#
# Installs fmt, Highway, libzip (without encryption and rare compression methods) and the headers of toml++ into
# build/wheel-libraries/ARCHITECTURE, or, for aarch64 on another machine, into wheel in build/arm64-sysroot. Does nothing if
# they are installed already. For aarch64 it needs a cross compiler and scripts/arm64-sysroot.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
architecture=${1:?expected x86_64 or aarch64}
if [ "$architecture" = "$(uname -m)" ]; then
  root= prefix=$PWD/build/wheel-libraries/$architecture
else
  root=$PWD/build/arm64-sysroot prefix=/wheel  # where the cross compiler and pkg-config search
fi
[ ! -f "$root$prefix/complete" ] || exit 0

scripts/bootstrap.sh dpkg-dev
sources=$PWD/build/wheel-libraries/sources
mkdir -p "$sources/lists"
if [ ! -f "$sources/complete" ]; then
  # The source packages of this machine's archives, with separate lists.
  for list in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    [ -f "$list" ] || continue
    target=$sources/$(basename "$list")
    sed 's/^Types: deb$/Types: deb-src/; s/^deb /deb-src /' "$list" >"$target"
    break
  done
  options=(-o "Dir::Etc::sourcelist=$target" -o Dir::Etc::sourceparts=- -o "Dir::State::Lists=$sources/lists"
    -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update -qq
  (cd "$sources" && apt-get "${options[@]}" source -qq libzip fmtlib highway >/dev/null)
  touch "$sources/complete"
fi

options=(-G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF
  -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_C_VISIBILITY_PRESET=hidden
  -DCMAKE_CXX_VISIBILITY_PRESET=hidden)
[ -z "$root" ] || options+=("-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/$architecture-linux-gnu.cmake")
# build_library <name> <options...>
build_library() {
  local source folder=build/wheel-libraries/$architecture-$1
  source=$(find "$sources" -maxdepth 1 -type d -name "$1-*")
  cmake -S "$source" -B "$folder" "${options[@]}" "${@:2}" >/dev/null
  cmake --build "$folder" >/dev/null
  DESTDIR=$root cmake --install "$folder" >/dev/null
}
build_library fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
build_library highway -DBUILD_TESTING=OFF -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_CONTRIB=OFF -DHWY_ENABLE_EXAMPLES=OFF
# arc4random would need a C library of 2022 or newer.
build_library libzip -DHAVE_ARC4RANDOM=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF -DENABLE_BZIP2=OFF \
  -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF -DENABLE_OPENSSL=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_COMMONCRYPTO=OFF
mkdir -p "$root$prefix/include" "$root$prefix/lib/cmake/tomlplusplus"
cp -r "$root/usr/include/toml++" "$root$prefix/include/"
cat >"$root$prefix/lib/cmake/tomlplusplus/tomlplusplusConfig.cmake" <<'END'
add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
target_include_directories(tomlplusplus::tomlplusplus INTERFACE ${CMAKE_CURRENT_LIST_DIR}/../../../include)
target_compile_definitions(tomlplusplus::tomlplusplus INTERFACE TOML_HEADER_ONLY=1)
END
touch "$root$prefix/complete"
