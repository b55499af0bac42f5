#!/bin/bash
# Each command of docs/launching-slurm.md, as it stands there and in that order. Whenever a block of them is through, so are
# its jobs.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/slurm/cluster.sh
source tests/cluster/slurm/cluster.sh
cluster_up 3
ln -s /mnt/lockstep /mnt/home/lockstep
# Once more if srun's ranks crashed in MPI_Init, as the page says they may.
run_block() { as_researcher bash -ec "$block" </dev/null 2>&1 | tee /tmp/block.log; }
queue_is_empty() { [[ -z $(squeue --noheader) ]]; }

blocks=0
cd /mnt/home
while IFS= read -r -d '' block; do
  printf '+ %s\n' "$block"
  run_block || { said 'Segmentation fault' /tmp/block.log && run_block; } || complain "a command of this block failed"
  wait_until 90 queue_is_empty || complain "a job does not end" ./*.log
  blocks=$((blocks + 1))
done < <(page_blocks /mnt/lockstep/docs/launching-slurm.md "")
((blocks >= 8)) || complain "only $blocks blocks of commands were found"
for log in ./*.log; do
  said 'train ended with 0' "$log" || complain "$log does not end well" "$log"
done
