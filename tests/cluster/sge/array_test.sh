#!/bin/bash
# The tasks of an array job train with settings of their own, and each is queued again on its own.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
job_script sweep.sge

# One task is stopped once: the others are not affected.
flags=(--model=linear --train_steps=1500 --save_checkpoints_steps=100 --log_every=100)
job=$(submit sweep -t 1-3 -pe mpi 3 sweep.sge sweep "${flags[@]}")
wait_until 60 test -e /mnt/home/sweep/middle/checkpoint.json || complain "task 2 does not train" /mnt/home/sweep.log
as_researcher qmod -sj "${job%%.*}.2"
end_of 120 sweep "${job%%.*}"
for name in small middle large; do
  finished "/mnt/home/sweep/$name" || complain "$name has not trained to its end" /mnt/home/sweep.log
  hashes+=("$(parameters_of "/mnt/home/sweep/$name")")
done
[[ $(printf '%s\n' "${hashes[@]}" | sort -u | wc -l) == 3 ]] || complain "the settings make no difference" /mnt/home/sweep.log
[[ $(grep -c 'train.sge: mpirun ended with 75' /mnt/home/sweep.log) == 1 ]] || complain "not one stop" /mnt/home/sweep.log
