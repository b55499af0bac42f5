#!/bin/bash
# Each command of docs/launching-slurm.md, unchanged and in that order. When a block has finished, so have its jobs.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/slurm/cluster.sh
source tests/cluster/slurm/cluster.sh
cluster_up 3
ln -s /mnt/lockstep /mnt/home/lockstep
queue_is_empty() { [[ -z $(squeue --noheader) ]]; }

blocks=0
cd /mnt/home
while IFS= read -r -d '' block; do
  printf '+ %s\n' "$block"
  as_researcher bash -ec "$block" </dev/null || complain "a command of this block failed"
  wait_until 90 queue_is_empty || complain "a job does not end" ./*.log
  blocks=$((blocks + 1))
done < <(page_blocks /mnt/lockstep/docs/launching-slurm.md "")
((blocks >= 8)) || complain "only $blocks blocks of commands were found"
# The lines of train.sbatch for data on the nodes' own disks.
as_researcher bash -ec 'mkdir data && seq 1 5000 >data/train.txt
  sed "s|^#srun|srun|; s|^#flags|flags|; s|^flags=(.*|flags=(--train_steps=5)|" lockstep/scripts/slurm/train.sbatch >staged.sbatch
  sbatch --nodes=2 --ntasks-per-node=2 --job-name=staged staged.sbatch --problem=languagemodel_text --model=transformer_lm \
    --hparams=hidden_size=16,filter_size=16,num_heads=2,num_hidden_layers=1'
wait_until 90 queue_is_empty || complain "the job with staged data does not end" ./staged*.log
said ' --data_dir=/tmp/data-[0-9]+ ' ./staged*.log || complain "the data were not staged" ./staged*.log

for log in ./*.log; do
  said 'train ended with 0' "$log" || complain "$log does not end well" "$log"
done
