#!/bin/bash
# The commands of docs/launching-hosts.md, unchanged, with few steps.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3

mkdir -p /mnt/work/build
cd /mnt/work
printf '#!/bin/bash\nexec %q --train_steps=5 "$@"\n' "$build/train" >build/train
chmod 755 build/train
ran=0
while IFS= read -r -d '' command; do
  rm -rf runs
  bash -euo pipefail -c "$command" </dev/null 2>log || complain "this ended with $?: $command" log
  ran=$((ran + 1))
  [[ $(ls runs/a/log) == "$(printf 'rank-%04d.log\n' {0..5})" ]] || complain "six ranks were meant: $command" log
done < <(page_blocks /mnt/lockstep/docs/launching-hosts.md bash)
((ran >= 2)) || complain "the page has $ran commands"
