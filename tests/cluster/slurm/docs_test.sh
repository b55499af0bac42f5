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
run_block() { as_researcher bash -ec "$(printf '%s\n' "${block[@]}")" 2>&1 | tee /tmp/block.log; }
queue_is_empty() { [[ -z $(squeue --noheader) ]]; }

blocks=0
mapfile -t lines <docs/launching-slurm.md
cd /mnt/home
block=()
inside=false
for line in "${lines[@]}"; do
  if [[ $line != '```' ]]; then
    ! $inside || block+=("$line")
  elif ! $inside; then
    inside=true
  else
    printf '+ %s\n' "${block[@]}"
    run_block || { said 'Segmentation fault' /tmp/block.log && run_block; } || complain "a command of this block failed"
    wait_until 90 queue_is_empty || complain "a job does not end" ./*.log
    blocks=$((blocks + 1)) block=() inside=false
  fi
done
((blocks >= 8)) || complain "only $blocks blocks of commands were found"
for log in ./*.log; do
  said 'train ended with 0' "$log" || complain "$log does not end well" "$log"
done
