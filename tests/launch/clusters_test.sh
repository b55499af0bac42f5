#!/bin/bash
# Jobs described by TF_CONFIG, a text for each task or one for all, or by the classic flags: the ranks' roles, and the
# flags that are allowed with it.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
# shellcheck source=tests/launch/tasks.sh
source "$(dirname "$0")/tasks.sh"

slow=60
train="$(train)"
small=(--model=linear --hparams=batch_size=16 --train_steps=6)

async='{"chief": ["localhost:2222"], "worker": ["localhost:2223", "localhost:2224"]}'
hash_of() { parameters_of "$folder/$1"; }

# T2T's example of a master and two ps tasks of two ranks each: the words that make-tf-configs prints for a shell, each
# for its task's processes, in any order of the launcher; and one text for all. The master only leads, which does not
# change a bit.
exact="--exact --global_batch_size=40 --hparams=hidden_size=24 --train_steps=6 --local_eval_frequency=0"
"$LOCKSTEP_BUILD_DIR/lockstep" make-tf-configs --masters=localhost:2222 --ps=localhost:2223,localhost:2224 >"$folder/printed"
read -ra job <<<"${LOCKSTEP_MPIRUN:-mpirun} --oversubscribe --bind-to none"
for task in '"ps", "index": 1' '"master", "index": 0' '"ps", "index": 0'; do
  eval "words=($(grep -F "\"type\": $task" "$folder/printed"))"
  ranks=2
  if [[ $task == *master* ]]; then
    ranks=1
    read -ra more <<<"$exact"
    master=("${words[@]/--ps_gpu=1/--ps_gpu=2}" "${more[@]}")
    words=("${master[@]}" --output_dir="$folder/printed_run")
  fi
  [[ ${job[-1]} == none ]] || job+=(:)
  job+=(-np "$ranks" env TF_CONFIG="${words[0]}" "$train" "${words[@]:1}")
done
[[ ${#master[@]} == 15 ]] || complain "make-tf-configs prints another master: ${master[*]}"
expect 0 $slow "* rank 0  chief without data *" "${job[@]}"
# shellcheck disable=SC2046,SC2086
{
  expect 0 $slow "* rank 0  chief without data *" env TF_CONFIG="${master[0]}" $(mpi 5) "$train" "${master[@]:1}" --output_dir="$folder/one_text"
  expect 0 $slow "*trained 6 steps*" $(mpi 4) "$train" $exact --schedule=train --output_dir="$folder/plain"
}
[[ -n $(hash_of plain) ]] || complain "no hash"
for led in printed_run one_text; do
  [[ $(hash_of $led) == "$(hash_of plain)" ]] || complain "led by a master, $led: other parameters than np 4 alone"
done

# A chief and workers, with T2T's flags for their numbers.
tasks "$async" worker 1 "--worker_id=2 --worker_replicas=3" chief 0 "${small[*]} --worker_replicas=3 --worker_id=0" worker 0 "--worker_id=1"
expect 0 $slow "* 3 ranks x 16 samples = global batch 48; *" "${job[@]}"
tasks "$async" worker 1 "--worker_id=1" chief 0 "${small[*]}" worker 0 ""
expect 78 $slow "*--worker_id=1 on rank 2 (worker 1, *): that one is 2 *" "${job[@]}"
tasks "$async" worker 1 "" chief 0 "${small[*]} --worker_replicas=2" worker 0 ""
expect 78 $slow "*--worker_replicas=2*3*" "${job[@]}"

# Clusters made by operators have no chief: worker 0 is the chief.
tasks '{"worker": ["localhost:1", "localhost:2"]}' worker 1 "" worker 0 "${small[*]}"
expect 0 $slow "*r0/2 W*worker 0 *is the chief*" "${job[@]}"

# One text for all; the classic flags, the same for all.
# shellcheck disable=SC2046
{
  expect 0 $slow "* 3 ranks x 16 samples = global batch 48; *" env "$(config "$async" chief 0)" $(mpi 3) "$train" "${small[@]}"
  expect 0 $slow "* 2 ranks x 16 samples = global batch 32; *" $(mpi 2) "$train" "${small[@]}" --worker_hosts=localhost:1,localhost:2 --ps_hosts=
  expect 78 $slow "*TF_CONFIG*cluster.worker*" env TF_CONFIG='{"cluster": {"worker": 5}}' $(mpi 3) "$train" "${small[@]}"
  expect 0 $slow "* rank 2  parameter server *" $(mpi 3) "$train" "${small[@]}" --worker_hosts=localhost:1,localhost:2 --ps_hosts=localhost:3
}

# An evaluator without a training evaluates the existing checkpoints.
expect 0 $slow "* 1 checkpoint evaluated: the training has finished*" env "$(config "$async" evaluator 0)" "$train" --output_dir="$folder/plain"
# shellcheck disable=SC2046
expect 0 $slow "* 0 checkpoints evaluated: the training has finished*" env "$(config "$async" evaluator 0)" $(mpi 2) "$train" --worker_gpu=2 --output_dir="$folder/plain"

# Without a cluster it evaluates as well, and does not train.
expect 0 $slow "* rank 0  evaluator *" env TF_CONFIG='{"task": {"type": "evaluator", "index": 0}}' "$train" --output_dir="$folder/plain"

# TF_CONFIG does not concern processes that use a saved model, or the tools; an empty one means nothing.
for left_over in "$(config "$async" worker 1)" "TF_CONFIG={cluster"; do
  expect 0 $slow "*step 6: dev accuracy *" env "$left_over" "$train" --schedule=evaluate --output_dir="$folder/plain"
  env "$left_over" "$LOCKSTEP_BUILD_DIR/lockstep" report "$folder/plain" >"$folder/out" 2>"$folder/err" || complain "report: $?"
  env "$left_over" "$train" --help >"$folder/out" 2>"$folder/err" || complain "--help: $?"
done
# shellcheck disable=SC2046
for nothing in "" "{}"; do
  expect 0 $slow "* 3 ranks x 16 samples = global batch 48; *" env TF_CONFIG="$nothing" $(mpi 3) "$train" "${small[@]}"
done

exit $failed
