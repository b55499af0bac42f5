#!/bin/bash
# qsub -pe over three hosts, two ranks on each: the bits equal those on one host, and with --exact those of one rank;
# also if the hosts share no output directory.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge

flags=(--hparams=hidden_size=32 --train_steps=60 --save_checkpoints_steps=30 --collective=mpi)
exact=("${flags[@]}" --exact --global_batch_size=96)
job=$(submit plain -pe mpi 6 train.sge plain "${flags[@]}")
train_here 6 "${flags[@]}" --output_dir=/mnt/home/plain_here
train_here 1 "${exact[@]}" --output_dir=/mnt/home/exact_here
end_of 60 plain "$job"
ends_like plain plain_here
placement=$(grep -oE 'rank [0-9]  \w+  n[1-3]' /mnt/home/plain.log | grep -oE 'n[1-3]$' | sort | tr '\n' ' ')
[[ $placement == "n1 n1 n2 n2 n3 n3 " ]] || complain "not two ranks on each host, but $placement" /mnt/home/plain.log

# Each host has its own /tmp: checkpoints are where rank 0 runs, logs where their ranks run.
job=$(submit exact -pe mpi 6 train.sge /tmp/apart "${exact[@]}")
end_of 60 exact "$job"
for host in n1 n2 n3; do
  mkdir "/mnt/home/$host"
  on "$host" cp -r /tmp/apart/. "/mnt/home/$host"
  logs=$(cd "/mnt/home/$host/log" && echo rank-*.log)
  case $logs in
    rank-0000*) mv "/mnt/home/$host" /mnt/home/exact ;;
    *) [[ $(ls "/mnt/home/$host") == log ]] || complain "$host has more than logs: $(ls "/mnt/home/$host")" ;;
  esac
  [[ $(wc -w <<<"$logs") == 2 ]] || complain "$host does not have the logs of its two ranks, but $logs"
done
ends_like exact exact_here

# Parameter servers, one on each host: the bits of one rank, as no gradient may be old.
served=(--hparams=hidden_size=32 --train_steps=60)
job=$(submit served -pe mpi 6 train.sge served "${served[@]}" --ps_replicas=3 --max_staleness=0)
train_here 1 "${served[@]}" --output_dir=/mnt/home/served_here
end_of 60 served "$job"
ends_like served served_here
