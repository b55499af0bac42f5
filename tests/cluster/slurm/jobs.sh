# shellcheck shell=bash
# Training jobs that something happens to, made from scripts/slurm/train.sbatch as a user makes them: srun.sbatch and
# mpirun.sbatch in the home folder. They run side by side, two ranks on each of three nodes, and train to the parameters of
# one rank. How long they take is decided by slow links rather than by the processor, which other tests use meanwhile.
# Sourced inside of a sandbox. Defines: cluster_with_jobs, edit_script, submit, home, log_of, output_of, job_flags,
# expect_parameters, expect_said.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/slurm/cluster.sh
source tests/cluster/slurm/cluster.sh

home=/mnt/home
job_flags=(--model=linear --exact --global_batch_size=96 --local_eval_frequency=0 --save_checkpoints_steps=50 --log_every=25)

# cluster_with_jobs STEPS: a step of two jobs at once takes 0.14 s.
cluster_with_jobs() {
  job_flags+=(--train_steps="$1")
  cluster_up 3
  shape_links 10mbit 0 n1 n2 n3
  edit_script scripts/slurm/train.sbatch >$home/srun.sbatch
  sed 's|^launch=.*|launch=(mpirun --bind-to none)|' $home/srun.sbatch >$home/mpirun.sbatch
}

# edit_script SCRIPT: as a user edits it.
edit_script() {
  sed -e "s|^lockstep=.*|lockstep=/mnt/lockstep|; s|^train=.*|train=$build/train|; s|^flags=.*|flags=(${job_flags[*]})|" \
    -e 's|^#SBATCH --nodes=.*|#SBATCH --nodes=3|; s|^#SBATCH --ntasks-per-node=.*|#SBATCH --ntasks-per-node=2|' "$1"
}

# submit NAME SCRIPT OPTION OF SBATCH...: prints the number of the job.
submit() {
  as_researcher sbatch --parsable --chdir=$home --job-name="$1" --output="$(log_of "$1")" "${@:3}" "$home/$2.sbatch"
}
log_of() { echo "$home/$1.log"; }
output_of() { echo "$home/runs/$1"; }

# expect_parameters NAME...: waits for the end of these runs, which have to be those of one undisturbed rank.
expect_parameters() {
  local name
  [[ -d $home/reference ]] || train_here 1 "${job_flags[@]}" --output_dir=$home/reference >$home/reference.log 2>&1
  for name in "$@"; do
    wait_until 120 finished "$(output_of "$name")" || complain "$name does not finish" "$(log_of "$name")"
    [[ $(parameters_of "$(output_of "$name")") == "$(parameters_of $home/reference)" ]] ||
      complain "$name: other parameters than those of an undisturbed rank" "$(log_of "$name")"
  done
}

# expect_said SECONDS PATTERN NAME...: waits until the logs of the jobs have such a line.
expect_said() {
  local name
  for name in "${@:3}"; do
    wait_until "$1" said "$2" "$(log_of "$name")" || complain "$name does not say: $2" "$(log_of "$name")"
  done
}
