# shellcheck shell=bash
# Unpacks Debian's Grid Engine without installing it: its packages would bring a mail server and ask for the name of a
# cluster. unpack_grid_engine needs scripts/lib/prepare.sh. Defines: grid_engine, unpack_grid_engine.
grid_engine_version=8.1.9+dfsg-10
# The unpacked packages; cluster.sh mounts their files below /usr over the sandbox's own. Root's cache, also if HOME is
# another user's: a sandbox has to find it.
grid_engine=${XDG_CACHE_HOME:-~root/.cache}/lockstep/gridengine-$grid_engine_version

# Downloads and unpacks the packages unless an earlier run has done so.
unpack_grid_engine() {
  [[ ! -d $grid_engine ]] || return 0
  say "Unpacking Grid Engine into $grid_engine"
  mkdir -p "${grid_engine%/*}"
  (
    beside=$(mktemp -d "$grid_engine.XXXXXX")
    trap 'rm -rf "$beside"' EXIT
    mkdir -m 755 "$beside/packages" "$beside/tree"
    cd "$beside/packages" || exit
    download_grid_engine || { apt update && download_grid_engine; }
    for package in *.deb; do dpkg --extract "$package" "$beside/tree"; done
    # If another run was faster, its tree stays.
    mv -T "$beside/tree" "$grid_engine" 2>/dev/null || [[ -d $grid_engine ]]
  )
}

download_grid_engine() {
  local part packages=()
  for part in common client exec master; do packages+=("gridengine-$part=$grid_engine_version*"); done
  # Root's own folders are closed to the user that apt downloads as.
  apt -o APT::Sandbox::User=root download "${packages[@]}"
}
