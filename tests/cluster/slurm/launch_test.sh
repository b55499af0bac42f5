#!/bin/bash
# Three nodes with two ranks each, by sbatch with srun and with mpirun: with --exact, and with parameter servers and no
# staleness, the bits equal those of one rank, and else those of six ranks on one machine. (docs_test.sh runs srun by itself.)
# shellcheck source=tests/cluster/slurm/jobs.sh
source tests/cluster/slurm/jobs.sh

scenario() {
  submit "$1"
  expect_parameters "$1"
  sed -i "s|^flags=.*|flags=(${six[*]}); output_dir+=_six|" "$home/$1.sbatch"
  submit "$1"
  wait_until 60 finished "$(output_of "$1")_six" || complain "$1 does not finish" "$(log_of "$1")"
  [[ $(parameters_of "$(output_of "$1")_six") == "$(parameters_of $home/six)" ]] ||
    complain "$1: other parameters than those of six ranks on one machine" "$(log_of "$1")"
  # Parameter servers, one on each node: the bits of one rank, as no gradient may be old.
  sed -i "s|^flags=.*|flags=(${served[*]} --ps_replicas=3 --max_staleness=0); output_dir+=_served|" "$home/$1.sbatch"
  submit "$1"
  wait_until 60 finished "$(output_of "$1")_served" || complain "$1 with servers does not finish" "$(log_of "$1")"
  [[ $(parameters_of "$(output_of "$1")_served") == "$(parameters_of $home/served)" ]] ||
    complain "$1: other parameters with servers than those of one rank" "$(log_of "$1")"
}
served=(--model=linear --train_steps=60)
six=(--model=linear --train_steps=60 --collective=mpi)
train_here 6 "${six[@]}" --output_dir=$home/six
train_here 1 "${served[@]}" --output_dir=$home/served
side_by_side 60
