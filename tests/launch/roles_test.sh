#!/bin/bash
# Jobs whose ranks are not all alike, under mpirun: neither roles nor the distribution of data change a bit of --exact;
# concurrent worlds; a hang inside a group.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

slow=60
planned="$LOCKSTEP_BUILD_DIR/tests/planned_train"
exact="--exact --global_batch_size=40 --hparams=hidden_size=24 --local_eval_frequency=0"

hash_of() { parameters_of "$folder/$1"; }

# same_bits NAME NP PLAN LINE: checks that a run of PLAN on NP ranks logs one line like LINE and ends with the
# parameters of the plain run.
same_bits() {
  local name=$1 np=$2 plan=$3 line=$4
  # shellcheck disable=SC2046,SC2086
  LOCKSTEP_PLAN=$plan expect 0 $slow "$line" $(mpi "$np") "$planned" $exact --train_steps=12 --output_dir="$folder/$name"
  [[ $(hash_of "$name") == "$plain" ]] || complain "plan $plan on $np ranks: other parameters than np 4 alone"
}

# shellcheck disable=SC2046,SC2086
expect 0 $slow "* rank 0  chief  *  cpu  cores *" $(mpi 4) "$(train)" $exact --train_steps=12 --output_dir="$folder/plain"
plain="$(hash_of plain)"
[[ -n $plain ]] || complain "no hash"
same_bits chief 5 without:0 "* rank 0  chief without data  *  cpu  cores *"
same_bits middle 5 without:2 "* rank 2  worker without data  *  cpu  cores *"
same_bits last 3 without:2 "* rank 2  worker without data  *  cpu  cores *"
same_bits shuffled 3 shuffled "* rank 0  chief  *  cpu  cores *"

# A job of other ranks resumes from the checkpoint of a job whose chief had no data.
# shellcheck disable=SC2046,SC2086
{
  expect 0 $slow "*resumed from *: step 12, *" $(mpi 2) "$(train)" $exact --train_steps=20 --output_dir="$folder/chief"
  expect 0 $slow "*resumed from *: step 12, *" $(mpi 1) "$(train)" $exact --train_steps=20 --output_dir="$folder/plain"
}
[[ $(hash_of chief) == "$(hash_of plain)" ]] || complain "resumed from a chief without data: other parameters"

# The evaluator is a world of its own. The others end first and wait for it longer than the hang timeout: no verdict.
# shellcheck disable=SC2046
LOCKSTEP_PLAN=evaluator timeout $slow $(mpi 3) "$planned" >"$folder/out" 2>"$folder/err" || complain "evaluator: exit code $?"
[[ $(sort "$folder/out") == $'chief 0 of 2\nevaluator 0 of 1\nworker 1 of 2' ]] || complain "evaluator: $(cat "$folder/out")"
[[ ! -s $folder/err ]] || complain "evaluator: something is reported"

# The same, but the others wait for the evaluator for 2 s only (others_timeout_s in planned_train.cc).
# shellcheck disable=SC2046
LOCKSTEP_PLAN=late expect 70 $slow "*this part of the job ended 2 s ago, and *the evaluator, has not: *" $(mpi 3) "$planned"

# Rank 2 waits in the group of 2 and 3, ranks 0 and 1 wait for both: rank 3 alone is to blame.
# shellcheck disable=SC2046
LOCKSTEP_PLAN=group expect 70 $slow "Rank 3 on * did not arrive: it is at step 0, for * in phase start." $(mpi 4) "$planned"
exit $failed
