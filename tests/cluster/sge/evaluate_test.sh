#!/bin/bash
# An evaluator job runs while a training job does: each checkpoint is evaluated once, though the evaluator is first
# suspended and then reaches its time limit before the training has finished; each time it is queued again.
# shellcheck source=tests/cluster/sge/jobs.sh
source tests/cluster/sge/jobs.sh
cluster_up 3
job_script train.sge
job_script evaluate.sge
slow_links

training=$(submit training -pe mpi 6 train.sge training "${flags[@]/train_steps=40/train_steps=100}")
evaluator=$(submit evaluator -pe smp 2 -l h_rt=0:0:25 evaluate.sge training)
wait_until 60 said 'step 10: ' /mnt/home/evaluator.log || complain "nothing is evaluated" /mnt/home/*.log
as_researcher qmod -sj "$evaluator"
end_of 120 training "$training"
end_of 60 evaluator "$evaluator"
said 'evaluated: asked to stop' /mnt/home/evaluator.log || complain "not stopped" /mnt/home/evaluator.log
said 'mpirun ended with 75' /mnt/home/evaluator.log || complain "not stopped in time" /mnt/home/evaluator.log
said 'the training has finished' /mnt/home/evaluator.log || complain "not to the training's end" /mnt/home/evaluator.log
expect_evaluated /mnt/home/training
