#!/bin/bash
# qdel saves; the same qsub resumes from there and ends with the bits of an undisturbed run. A job that loses a rank
# notices soon, and is queued again.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
slow_links
flags=("${flags[@]/--train_steps=40/--train_steps=80}")  # on a busy machine a signal takes 15 s from qdel to a rank
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here

job=$(submit deleted -pe mpi 6 train.sge deleted "${flags[@]}")
trains deleted
qdel "$job"
end_of 60 deleted "$job"
step=$(saved_step /mnt/home/deleted)
said "asked to stop by SIGUSR2.* stopping after step $step\$" /mnt/home/deleted.log || complain "not stopped" /mnt/home/deleted.log
((step < 80)) || complain "the last checkpoint is of step $step, of no stop" /mnt/home/deleted.log

job=$(submit deleted -pe mpi 6 train.sge deleted "${flags[@]}")
end_of 90 deleted "$job"
said "resumed .*step $step" /mnt/home/deleted.log || complain "not resumed" /mnt/home/deleted.log
ends_like deleted here

job=$(submit killed -pe mpi 6 train.sge killed "${flags[@]}")
trains killed
begin=$SECONDS
on n2 pkill --oldest -KILL -x train
wait_until 60 said 'mpirun ended with 137' /mnt/home/killed.log || complain "no end" /mnt/home/killed.log
((SECONDS - begin < 15)) || complain "the job outlived its rank by $((SECONDS - begin)) s" /mnt/home/killed.log
wait_until 20 said 'queued again' /mnt/home/killed.log || complain "not queued again" /mnt/home/killed.log
end_of 150 killed "$job"
said 'resumed from' /mnt/home/killed.log || complain "not resumed" /mnt/home/killed.log
ends_like killed here
