# Sourced by program tests that fill a disk: they use a small one of their own, which needs a mount namespace.
# shellcheck shell=bash

# Command prefix under which the rest may mount; empty if that is not allowed.
own_mounts=(unshare --mount)
((EUID == 0)) || own_mounts+=(--map-root-user)
"${own_mounts[@]}" true 2>/dev/null || own_mounts=()
