#!/bin/bash
# An evaluator job runs while a training job does: each checkpoint is evaluated once, though the evaluator is stopped
# and requeued on the way, and it ends when the training has finished.
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh
cluster_with_jobs 250
edit_script scripts/slurm/evaluate.sbatch |
  sed 's|^#SBATCH --nodes=.*|#SBATCH --nodes=1|; s|^flags=.*|flags=(--eval_timeout_mins=5)|' >$home/evaluate.sbatch

training=$(submit srun)
evaluator=$(as_researcher sbatch --parsable --chdir=$home --dependency="after:$training" --output="$(log_of evaluate)" \
  $home/evaluate.sbatch "$(output_of srun)")
expect_said 60 'step 50: ' evaluate
as_researcher scancel --batch --signal=USR1 "$evaluator"
expect_said 20 'train ended with 0' evaluate
expect_said 10 'requeued: scontrol requeue' evaluate
expect_parameters srun
gone "$training"
gone "$evaluator"
expect_said 1 'the training has finished' evaluate
expect_evaluated "$(output_of srun)"
