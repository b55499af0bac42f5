# shellcheck shell=bash
# Training jobs that are disturbed, made from scripts/slurm/train.sbatch as a user makes them: srun.sbatch and
# mpirun.sbatch in the home folder. They run at the same time, two ranks on each of three nodes, and train to the
# parameters of one rank. Their duration is set by slow links rather than by the processor, which other tests use
# meanwhile. Sourced inside a sandbox. Defines: home, job_flags, cluster_with_jobs, edit_script, submit, log_of,
# output_of, side_by_side, expect_parameters, expect_said, expect_saved, gone, waits_for_nodes.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/slurm/cluster.sh
source tests/cluster/slurm/cluster.sh

home=/mnt/home
job_flags=(--model=linear --exact --global_batch_size=96 --local_eval_frequency=0 --save_checkpoints_steps=50 --log_every=25)

# cluster_with_jobs STEPS [NODES]: starts the cluster and trains the reference. A step of two jobs at once takes 0.14 s.
cluster_with_jobs() {
  local number
  job_flags+=(--train_steps="$1")
  cluster_up "${2:-3}"
  for ((number = 1; number <= ${2:-3}; number++)); do shape_links 10mbit 0 "n$number"; done
  edit_script scripts/slurm/train.sbatch >$home/srun.sbatch
  sed 's|^launch=.*|launch=(mpirun --bind-to none)|' $home/srun.sbatch >$home/mpirun.sbatch
  train_here 1 "${job_flags[@]}" --output_dir=$home/reference >$home/reference.log 2>&1
}

# edit_script SCRIPT: prints the script as a user would edit it.
edit_script() {
  sed -e "s|^lockstep=.*|lockstep=/mnt/lockstep|; s|^train=.*|train=$build/train|; s|^flags=.*|flags=(${job_flags[*]})|" \
    -e 's|^#SBATCH --nodes=.*|#SBATCH --nodes=3|; s|^#SBATCH --ntasks-per-node=.*|#SBATCH --ntasks-per-node=2|' "$1"
}

# submit NAME OPTION OF SBATCH...: submits NAME.sbatch; prints the number of the job.
submit() {
  as_researcher sbatch --parsable --chdir=$home --job-name="$1" --output="$(log_of "$1")" "${@:2}" "$home/$1.sbatch"
}
log_of() { echo "$home/$1.log"; }
output_of() { echo "$home/runs/$1"; }

# side_by_side STEPS: runs `scenario srun` and `scenario mpirun` at once, on one cluster.
side_by_side() {
  local launch running=() each
  cluster_with_jobs "$1"
  for launch in srun mpirun; do
    scenario "$launch" &
    running+=($!)
  done
  for each in "${running[@]}"; do wait "$each" || exit 1; done
}

# expect_parameters NAME...: waits for the end of these runs, whose parameters have to be those of one undisturbed rank.
expect_parameters() {
  local name
  for name; do
    wait_until 120 finished "$(output_of "$name")" || complain "$name does not finish" "$(log_of "$name")"
    [[ $(parameters_of "$(output_of "$name")") == "$(parameters_of $home/reference)" ]] ||
      complain "$name: other parameters than those of an undisturbed rank" "$(log_of "$name")"
  done
}

# expect_said SECONDS PATTERN NAME...: waits until the logs of the jobs have a matching line.
expect_said() {
  local name
  for name in "${@:3}"; do
    wait_until "$1" said "$2" "$(log_of "$name")" || complain "$name does not say: $2" "$(log_of "$name")"
  done
}

# expect_saved NAME...: checks that the jobs have saved after a request to stop.
expect_saved() {
  expect_said 30 'stopped after [0-9]+ steps.*saved' "$@"
  expect_said 10 'train ended with 75' "$@"
}

# Waits until Slurm has finished the job of this number.
gone() { wait_until 30 through "$1" || complain "job $1 is still there"; }
through() { [[ -z $(squeue --noheader --job="$1") ]]; }

waits_for_nodes() { [[ $(squeue --noheader --name="$1" --format='%T') == PENDING ]]; }
