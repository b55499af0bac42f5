#!/bin/bash
# Jobs described by TF_CONFIG, a text for each task or one for all, or by the classic flags: who is which rank, what the
# flags may say beside it, and an evaluator beside the training.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

slow=60
train="$(train)"
small=(--model=linear --hparams=batch_size=16 --train_steps=6)

# config CLUSTER JOB INDEX: TF_CONFIG of that task.
config() { echo "TF_CONFIG={\"cluster\": $1, \"task\": {\"type\": \"$2\", \"index\": $3}, \"environment\": \"cloud\"}"; }
# tasks CLUSTER JOB INDEX FLAGS / JOB INDEX FLAGS ...: one process for each, as words of the command in job.
tasks() {
  local cluster=$1 flags
  read -ra job <<<"${LOCKSTEP_MPIRUN:-mpirun} --oversubscribe --bind-to none"
  shift
  for ((; $# > 0; )); do
    read -ra flags <<<"$3"
    job+=(-np 1 env "$(config "$cluster" "$1" "$2")" "$train" "${flags[@]}")
    shift 3
    (($# == 0)) || job+=(:)
  done
}

sync='{"master": ["localhost:2222"], "ps": ["localhost:2223", "localhost:2224"]}'
async='{"chief": ["localhost:2222"], "worker": ["localhost:2223", "localhost:2224"]}'
hash_of() { grep -o '"parameters_sha256": "[0-9a-f]*' "$folder/$1/metrics.jsonl" | tail -n 1; }

# T2T's example of a master and two ps tasks as make-tf-configs prints it, whatever order the launcher starts them in.
exact="--exact --global_batch_size=40 --hparams=hidden_size=24 --train_steps=6 --local_eval_frequency=0"
master="--master=grpc://localhost:2222 --ps_replicas=2 --worker_replicas=1 --worker_gpu=0 --worker_id=0 --ps_gpu=1 --sync --schedule=train --worker_job=/job:master"
tasks "$sync" ps 1 --schedule=run_std_server master 0 "$master $exact --output_dir=$folder/sync" ps 0 --schedule=run_std_server
expect 0 $slow "* rank 0  chief without data *" "${job[@]}"
# shellcheck disable=SC2086
expect 0 $slow "*trained 6 steps*" "$train" $exact --schedule=train --output_dir="$folder/alone"
[[ -n $(hash_of sync) && $(hash_of sync) == "$(hash_of alone)" ]] || complain "led by a master: other parameters than alone"

# Chief and workers, with T2T's numbers of them.
tasks "$async" worker 1 "--worker_id=2 --worker_replicas=3" chief 0 "${small[*]} --worker_replicas=3 --worker_id=0" worker 0 "--worker_id=1"
expect 0 $slow "* 3 ranks x 16 samples = global batch 48; *" "${job[@]}"
tasks "$async" worker 1 "--worker_id=1" chief 0 "${small[*]}" worker 0 ""
expect 78 $slow "*--worker_id=1 on rank 2 (worker 1, *): that one is 2 *" "${job[@]}"
tasks "$async" worker 1 "" chief 0 "${small[*]} --worker_replicas=2" worker 0 ""
expect 78 $slow "*--worker_replicas=2*3*" "${job[@]}"

# Operators' clusters have no chief: worker 0 is it.
tasks '{"worker": ["localhost:1", "localhost:2"]}' worker 1 "" worker 0 "${small[*]}"
expect 0 $slow "*r0/2 W*worker 0 *is the chief*" "${job[@]}"

# One text for all; the classic flags, the same for all.
# shellcheck disable=SC2046
{
  expect 0 $slow "* 3 ranks x 16 samples = global batch 48; *" env "$(config "$async" chief 0)" $(mpi 3) "$train" "${small[@]}"
  expect 0 $slow "* 2 ranks x 16 samples = global batch 32; *" $(mpi 2) "$train" "${small[@]}" --worker_hosts=localhost:1,localhost:2 --ps_hosts=
  expect 78 $slow "*TF_CONFIG*cluster.worker*" env TF_CONFIG='{"cluster": {"worker": 5}}' $(mpi 3) "$train" "${small[@]}"
  expect 78 $slow "*parameter*server*" $(mpi 3) "$train" "${small[@]}" --worker_hosts=localhost:1,localhost:2 --ps_hosts=localhost:3
}

# An evaluator, by its task: it evaluates beside the training, and all end with 0.
run="$folder/run"
every="${small[*]} --schedule=train --save_checkpoints_steps=2 --output_dir=$run"
tasks "$async" evaluator 0 "" chief 0 "$every" worker 0 "" worker 1 ""
expect 0 $slow "*3 ranks x 16 samples = global batch 48; *" "${job[@]}"
[[ $(grep -c '"kind": "eval"' "$run/eval/metrics.jsonl") -ge 1 ]] || complain "the evaluator has evaluated nothing"
[[ -e $run/model.ckpt-6.h5 ]] || complain "no last checkpoint"

# Without a cluster it evaluates all the same, and does not train.
expect 0 $slow "* rank 0  evaluator *" env TF_CONFIG='{"task": {"type": "evaluator", "index": 0}}' "$train" --output_dir="$run"

# It fails: the training goes on, and the job's code says so.
mkdir -p "$folder/other"
: >"$folder/other/eval"
tasks "$async" evaluator 0 "" chief 0 "${every/$run/$folder/other}" worker 0 "" worker 1 ""
expect 70 $slow "*the evaluator has failed, the training goes on: *" "${job[@]}"
[[ -e $folder/other/model.ckpt-6.h5 ]] || complain "a failing evaluator has ended the training"

exit $failed
