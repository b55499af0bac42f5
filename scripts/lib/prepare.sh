# shellcheck shell=bash
# Functions that take a fresh Debian machine to a release build. Sourced by the scripts here, by tests/cluster and by
# the CI; expects `set -euo pipefail`. Defines: root, packages, test_packages, say, give_up, install_missing,
# fresh_if_moved, configure_release, build_release, build_preset, allow_root.

packages=(
  g++ cmake ninja-build pkg-config
  libopenmpi-dev openmpi-bin
  nlohmann-json3-dev libfmt-dev doctest-dev
  libdnnl-dev zlib1g-dev libhdf5-dev
  libprotobuf-dev protobuf-compiler
)
# shellcheck disable=SC2034  # used by those who source this
test_packages=(procps python3 python3-h5py python3-pil)  # for tests of python/ and of docs/checkpoint_format.md

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '%s\n' "== $*"; }

give_up() {
  printf '%s\n' "" "$@" >&2
  exit 1
}

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# as_root: what is put before a command to run it as root. become_root PACKAGE... sets it; at a terminal it asks first.
as_root=()
become_root() {
  ((EUID != 0)) || return 0
  local line="sudo apt-get install --no-install-recommends $*"
  if ! command -v sudo >/dev/null; then
    give_up "These Debian packages are missing, and only root can install them (there is no sudo here):" \
      "  $*" "Run this as root, then start again:" "  ${line#sudo }"
  fi
  if [[ -t 0 && -t 2 ]]; then
    local answer
    read -rp "Missing Debian packages: $*"$'\n'"Install them now with sudo? [Y/n] " answer
    case $answer in
      "" | [Yy]*) as_root=(sudo) ;;
      *) give_up "Nothing was installed. When you are ready:" "  $line" ;;
    esac
  elif sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    give_up "These Debian packages are missing, and sudo wants a password:" "  $*" "Run this, then start again:" "  $line"
  fi
}

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }

# True if apt's lists know a version of every package given.
all_known() {
  local package
  for package in "$@"; do
    apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || return 1
  done
}

# install_missing PACKAGE...: installs the packages that are missing.
install_missing() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is no Debian: nothing is installed here. These are needed, under your system's names:"
    say "  $*"
    return 0
  fi
  local package missing=()
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0

  become_root "${missing[@]}"
  say "Installing ${missing[*]}"
  if ! all_known "${missing[@]}"; then
    apt update || give_up "apt-get update failed: see above. It needs the network and Debian's sources."
  fi
  # Outdated lists name versions that the mirror no longer has: retry once with fresh ones.
  apt install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    { apt update && apt install -y --no-install-recommends "${missing[@]}" >/dev/null; } ||
    give_up "apt-get could not install: ${missing[*]}" "The lines above say why."
}

# A build folder records the path of its sources, and CMake refuses it for others: a checkout that was moved or copied
# is configured afresh. fresh_if_moved FOLDER: prints the flag that CMake needs for that, if any.
fresh_if_moved() {
  local cache=$1/CMakeCache.txt
  [[ ! -e $cache ]] || grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" || printf -- --fresh
}

# Configures the release preset, with the cuda module if a GPU is visible and nvcc is found. LOCKSTEP_WERROR=ON in the
# environment makes warnings errors.
configure_release() {
  local cuda=OFF fresh said
  if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then cuda=AUTO; fi
  fresh=$(fresh_if_moved "$root/build")
  say "Configuring (cmake --preset release -D LOCKSTEP_CUDA=$cuda)"
  if ! said=$(cd "$root" && cmake --preset release ${fresh:+"$fresh"} -D LOCKSTEP_CUDA="$cuda" \
    -D LOCKSTEP_WERROR="${LOCKSTEP_WERROR:-OFF}" 2>&1); then
    give_up "$said" "" "The build could not be configured. It needs: ${packages[*]}"
  fi
  sed -n '/^-- Lockstep /,/^-- *$/s/^-- //p' <<<"$said"
}

# build_release TARGET
build_release() {
  say "Building (cmake --build --preset release)"
  (cd "$root" && cmake --build --preset release --target "$1") || give_up "The build failed: see above."
}

# build_preset PRESET FOLDER: configures and builds the preset, which builds in FOLDER. Call it in the root folder.
build_preset() {
  local fresh
  fresh=$(fresh_if_moved "$root/$2")
  cmake --preset "$1" ${fresh:+"$fresh"} -D LOCKSTEP_WERROR="${LOCKSTEP_WERROR:-OFF}" >/dev/null && cmake --build --preset "$1"
}

# mpirun refuses to run as root unless told twice that it is intended.
allow_root() {
  ((EUID != 0)) || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}
