#!/usr/bin/env bash
# Installs the Debian packages that dsnn needs: lists the missing ones and installs them (with sudo if not
# root). Does nothing if all are installed. scripts/bootstrap.sh [more packages]
# Optional: libopenmpi-dev openmpi-bin libmetis-dev libptscotch-dev (graphs in parts, docs/scale.md).
set -euo pipefail

packages=(
  build-essential cmake ninja-build pkg-config git
  libeigen3-dev                      # dense algebra
  libhwy-dev                         # vector instructions, chosen at run time
  libfmt-dev libzip-dev zlib1g-dev   # text, npz archives, gzip
  libcurl4-openssl-dev libssl-dev libarchive-dev  # downloads, their hashes and archives
  libcli11-dev nlohmann-json3-dev libtomlplusplus-dev  # the program, its results and configurations
  libsqlite3-dev                     # sweeps
  libgtest-dev libbenchmark-dev      # tests and benchmarks
  python3 python3-numpy python3-scipy  # tests against NumPy and SciPy
  clang-format clang-tidy            # scripts/lint.sh
)

if ! command -v dpkg-query >/dev/null; then
  echo "bootstrap: this script installs Debian packages and found no dpkg; install these by hand:" >&2
  echo "  ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}" "$@"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "bootstrap: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "bootstrap: not root and no sudo; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
