#!/bin/bash
# An evaluator job beside a training job: each checkpoint is evaluated once, though the evaluator's time is up before the
# training has finished, and it is queued again.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
job_script evaluate.sge
slow_links

training=$(submit training -pe mpi 6 train.sge training "${flags[@]}")
evaluator=$(submit evaluator -pe smp 2 -l h_rt=0:0:20 evaluate.sge training)
end_of 90 training "$training"
end_of 60 evaluator "$evaluator"
said 'mpirun ended with 75' /mnt/home/evaluator.log || complain "not stopped in time" /mnt/home/evaluator.log
said 'the training has finished' /mnt/home/evaluator.log || complain "not to the training's end" /mnt/home/evaluator.log
expect_evaluated /mnt/home/training
