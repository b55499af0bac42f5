# Sourced by program tests that fill a disk: a small one of their own, which needs a mount namespace.
# shellcheck shell=bash

# The beginning of a command line that runs the rest where it may mount; empty where that is not allowed.
own_mounts=(unshare --mount)
((EUID == 0)) || own_mounts+=(--map-root-user)
"${own_mounts[@]}" true 2>/dev/null || own_mounts=()
