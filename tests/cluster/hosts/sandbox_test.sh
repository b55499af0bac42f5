#!/bin/bash
# A sandbox of a checkout below /mnt, as this one's is here: it sees the checkout, and otherwise an empty /mnt.
set -euo pipefail
touch /mnt/outside
seen=$(tests/cluster/sandbox bash -c "cmp $0 $PWD/$0 && cd /mnt && echo *")
[[ $seen == "etc home lockstep nodes" ]] || { echo "FAILED: it sees '$seen' in /mnt" >&2; exit 1; }
