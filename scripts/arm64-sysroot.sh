#!/usr/bin/env bash
# Unpacks Debian's arm64 packages of the libraries that dsnn links with into build/arm64-sysroot, for cross compiling and for
# running in an emulator: scripts/arm64-sysroot.sh. The packages of the machine are not changed: apt uses separate lists and a
# separate folder. Does nothing if the sysroot is complete (--check only tests this, by exit code). To fetch newer packages, remove
# the folder. With --python: Python with NumPy and pytest, in build/arm64-sysroot-python.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  libc6-dev libstdc++6
  libeigen3-dev libhwy-dev libfmt-dev libzip-dev zlib1g-dev
  libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libsqlite3-dev
  libgtest-dev
)
sysroot=$PWD/build/arm64-sysroot
if [ "${1:-}" = --python ]; then
  packages=(libc6 libstdc++6 zlib1g python3-minimal python3-numpy python3-pytest)
  sysroot=$PWD/build/arm64-sysroot-python
  shift
fi
complete=$sysroot/packages
if [ -f "$complete" ] && [ "$(cat "$complete")" = "${packages[*]}" ]; then exit 0; fi
[ "${1:-}" != --check ] || exit 1

echo "arm64-sysroot: unpacking ${packages[*]} into build/$(basename "$sysroot")"
rm -rf "$sysroot"
apt=$sysroot/apt
mkdir -p "$apt"/{lists,cache/archives}/partial
touch "$apt/status"  # as on a machine that has nothing installed, so that what packages depend on comes as well
# apt downloads as an unprivileged user, which could not write there.
options=(
  -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Install-Recommends=false -o APT::Sandbox::User=root
  -o Dir::State="$apt" -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache"
  -o Debug::NoLocking=true
)
apt-get "${options[@]}" update -qq
apt-get "${options[@]}" install -y -qq --download-only "${packages[@]}" >/dev/null
mkdir -p "$sysroot/usr/lib"
ln -s usr/lib "$sysroot/lib"  # one folder, as in Debian
for archive in "$apt"/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$sysroot" --keep-directory-symlink --exclude=./usr/share/doc
done
# Links to /lib/... would point outside the folder.
find "$sysroot" -type l -lname '/*' | while read -r link; do
  ln -sfn --relative "$sysroot$(readlink "$link")" "$link"
done
rm -rf "$apt"
echo "${packages[*]}" >"$complete"
