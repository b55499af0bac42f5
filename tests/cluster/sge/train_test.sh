#!/bin/bash
# qsub -pe over three hosts, two ranks on each: the bits of one host, and with --exact those of one rank.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge

flags=(--hparams=hidden_size=32 --train_steps=60 --save_checkpoints_steps=30)
exact=("${flags[@]}" --exact --global_batch_size=96)
plain_job=$(submit plain -pe mpi 6 train.sge plain "${flags[@]}")
exact_job=$(submit exact -pe mpi 6 train.sge exact "${exact[@]}")
train_here 6 "${flags[@]}" --output_dir=/mnt/home/plain_here
train_here 1 "${exact[@]}" --output_dir=/mnt/home/exact_here
end_of 60 plain "$plain_job"
end_of 60 exact "$exact_job"
for run in plain exact; do
  finished "/mnt/home/$run" || complain "the job has not trained to its end" "/mnt/home/$run.log"
  [[ $(parameters_of "/mnt/home/$run") == "$(parameters_of "/mnt/home/${run}_here")" ]] ||
    complain "$run: other parameters than on one host" "/mnt/home/$run.log"
  [[ $(grep -oE 'r0/6 I\] rank [0-9]  \w+  n[1-3]' "/mnt/home/$run.log" | grep -oE 'n[1-3]$' | sort | uniq -c |
    tr -s ' \n' ' ') == " 2 n1 2 n2 2 n3 " ]] || complain "$run: not two ranks on each host" "/mnt/home/$run.log"
done
