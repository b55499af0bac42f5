#!/bin/bash
# Jobs whose TF_CONFIG cannot be true: each ends in seconds, with one message that names the contradiction and the cure.
# Allowed variants train.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
# shellcheck source=tests/launch/tasks.sh
source "$(dirname "$0")/tasks.sh"

slow=20
train="$(train)"
small="--model=linear --hparams=batch_size=16 --train_steps=6"
here='{"chief": ["localhost:1"], "worker": ["localhost:2", "localhost:3"]}'
there='{"chief": ["n1:1"], "worker": ["n2:2", "n3:3"]}'

# A number of ranks other than the tasks'.
# shellcheck disable=SC2046,SC2086
{
  expect 78 $slow "*1 task of the cluster has no process: worker 1 (localhost:3). Start 3 processes (mpirun -np 3), *" \
    env "$(config "$here" chief 0)" $(mpi 2) "$train" $small
  expect 78 $slow "*2 processes have no task: process 3 on *, process 4 on *. Start 3 processes (mpirun -np 3), *" \
    env "$(config "$here" chief 0)" $(mpi 5) "$train" $small
  expect 0 $slow "* 6 ranks x 16 samples = global batch 96; *" env "$(config "$here" chief 0)" $(mpi 6) "$train" $small --worker_gpu=2
  expect 78 $slow "*2 tasks of the cluster have no process: *instead of 1 on *. The cluster is that of TF_CONFIG: unset TF_CONFIG for a job without it*" \
    env "$(config "$here" worker 1)" "$train" $small
  # An evaluator's text for all processes: they would be its ranks.
  expect 78 $slow "*evaluator 0 (no address) has 2 processes for its 1 rank*" \
    env "$(config "$here" evaluator 0)" $(mpi 2) "$train" --output_dir="$folder/none"
}
tasks "$here" chief 0 "$small --worker_gpu=1" worker 1 --worker_gpu=2 worker 0 --worker_gpu=1 worker 1 --worker_gpu=2 worker 1 --worker_gpu=1
expect 78 $slow "*the processes of worker 1 do not agree on its ranks: process 4 on * says 1, others 2; *" "${job[@]}"
tasks "$here" chief 0 "$small --worker_gpu=1" worker 1 --worker_gpu=2 worker 0 --worker_gpu=1 worker 1 --worker_gpu=2
expect 0 $slow "* 4 ranks x 16 samples = global batch 64; *" "${job[@]}"

# Tasks that do not exist, or that two processes claim.
tasks "$here" chief 0 "$small" worker 0 "" worker 7 ""
expect 78 $slow "*process 2 on *: TF_CONFIG: task.index: 7 is no task of cluster.worker, whose last index is 1*" "${job[@]}"
tasks "$here" chief 0 "$small" chief 0 "" worker 0 ""
expect 78 $slow "*chief 0 (localhost:1) has 2 processes for its 1 rank*" "${job[@]}"

# A task of a cluster that is not described; the first one is a process by itself.
# shellcheck disable=SC2086
for task in "worker 1" "ps 0"; do
  expect 78 $slow "*--job_name, --task_index: $task is a task of a cluster that nothing describes; give *" "$train" $small \
    --job_name="${task% *}" --task_index="${task#* }"
done
# shellcheck disable=SC2086
expect 0 $slow "*1 rank x 16 samples = global batch 16; *" "$train" $small --job_name=worker --task_index=0

# Without a list of hosts, one warning says so; with a list, the task is a place in it.
# shellcheck disable=SC2046,SC2086
{
  expect 0 $slow "*r0/2 W*--job_name, --task_index: there is no cluster that worker 0 belongs to, *" \
    $(mpi 2) "$train" $small --job_name=worker --task_index=0
  expect 0 $slow "* 2 ranks x 16 samples = global batch 32; *" \
    $(mpi 1) "$train" --worker_hosts=localhost:1,localhost:2 --task_index=1 : \
    -np 1 "$train" $small --worker_hosts=localhost:1,localhost:2 --task_index=0
}

# Gradient's other variables for the task.
# shellcheck disable=SC2086
expect 78 $slow "*this process is worker 0 by TF_CONFIG and worker 1 by TYPE, INDEX; *" \
  env "$(config '{"worker": ["localhost:1"]}' worker 0)" TYPE=worker INDEX=1 "$train" $small
# shellcheck disable=SC2086
expect 0 $slow "*1 rank x 16 samples = global batch 16; *" \
  env "$(config '{"worker": ["localhost:1"]}' worker 0)" TYPE=worker INDEX=0 "$train" $small

# Vertex AI's containers, each by itself: no launcher starts the others.
pools='{"cluster": {"workerpool0": ["p0:2222"], "workerpool1": ["p1:2222"]}, "task": {"type": "workerpool0", "index": 0}}'
# shellcheck disable=SC2046,SC2086
{
  expect 78 $slow "*1 task of the cluster has no process: worker 0 (p1:2222). Start 2 processes (mpirun -np 2), *CLUSTER_SPEC*" \
    env CLUSTER_SPEC="$pools" "$train" $small
  expect 0 $slow "* 2 ranks x 16 samples = global batch 32; *" env CLUSTER_SPEC="$pools" $(mpi 2) "$train" $small
}

# Two different clusters.
job=()
tasks '{"chief": ["localhost:1"], "worker": ["localhost:9", "localhost:3"]}' worker 0 ""
other=("${job[@]}")
tasks "$here" chief 0 "$small" worker 1 ""
expect 78 $slow "*worker 0 is at 'localhost:2' by process 0 on * and at 'localhost:9' by process 2 on *; take one of them away*" \
  "${job[@]}" : "${other[@]: -5}"

# Hosts on which no process runs: places go by order, with a warning. If some processes know their task, order does not
# place more processes on it.
# shellcheck disable=SC2046,SC2086
expect 0 $slow "*r0/3 W*no process runs on a host of the cluster (n1, *" env "$(config "$there" chief 0)" $(mpi 3) "$train" $small
tasks "$there" chief 0 "$small" - 0 "" - 0 ""
expect 0 $slow "* 3 ranks x 16 samples = global batch 48; *" "${job[@]}"
tasks "$there" chief 0 "$small" chief 0 "" - 0 ""
expect 78 $slow "*chief 0 (n1:1) has 2 processes for its 1 rank*. Process 2 on * was told nothing of the cluster: *-x TF_CONFIG*" "${job[@]}"

# Unreadable TF_CONFIG of one process among others.
# shellcheck disable=SC2016  # what nobody has expanded
for wrong in " " "{cluster" '{"cluster": []}' '{"sparseCluster": {}}' "{'cluster': {}}" '$(TF_CONFIG)' /etc/tf_config; do
  # shellcheck disable=SC2046,SC2086
  expect 78 $slow "*process 1 on *: TF_CONFIG: *" $(mpi 1) "$train" $small : -np 1 env TF_CONFIG="$wrong" "$train"
done

# A malformed address list and an unknown job, with the cure: for flags as other flags, for a text with its place.
# shellcheck disable=SC2046,SC2086
{
  expect 64 $slow '*--worker_hosts=?"a:1"?: this is JSON; expected host:port,host:port,..., without brackets and quotes*' \
    $(mpi 2) "$train" $small '--worker_hosts=["a:1"]'
  expect 64 $slow "*--worker_hosts=a:1,b:x: address 1 of the list, 'b:x', has no port *" $(mpi 2) "$train" $small --worker_hosts=a:1,b:x
  expect 64 $slow "*--job_name=workers: expected *(did you mean 'worker'[?])*" $(mpi 2) "$train" $small --worker_hosts=a:1,b:1 --job_name=workers
  expect 78 $slow "*task.type: 'cheif' is no job of the cluster (did you mean 'chief'[?]); *" env "$(config "$here" cheif 0)" $(mpi 3) "$train" $small
  # Flags next to a leftover description.
  expect 78 $slow "*--ps_replicas=2, but the cluster has 0 ps tasks; *. The cluster is that of TF_CONFIG: unset TF_CONFIG *" \
    env "$(config "$here" chief 0)" $(mpi 3) "$train" $small --sync --ps_replicas=2
  expect 78 $slow "*. The cluster is that of --worker_hosts: leave out --worker_hosts for a job without it*" \
    $(mpi 3) "$train" $small --worker_hosts=localhost:1,localhost:2
}

# T2T's master and ps tasks: asynchronously these hold the parameters. By default they compute, and one line says so.
servers='{"master": ["localhost:1"], "ps": ["localhost:2"]}'
# shellcheck disable=SC2046,SC2086
{
  expect 0 $slow "* rank 1  parameter server *" env "$(config "$servers" master 0)" $(mpi 2) "$train" $small --nosync
  expect 78 $slow "*--strategy=model_averaging has no use for the 1 ps task of the cluster; *" \
    env "$(config "$servers" master 0)" $(mpi 2) "$train" $small --nosync --strategy=model_averaging
  expect 0 $slow "*r0/2 W*the 1 ps task of the cluster computes, led by master 0, as with --sync, *" \
    env "$(config "$servers" master 0)" $(mpi 2) "$train" $small
}

# Different schedules in one world.
tasks "$here" worker 1 "" chief 0 "$small --schedule=train" worker 0 --schedule=evaluate
expect 78 $slow "*--schedule is 'train' on rank 0 (chief, *) and 'evaluate' on rank 1 (worker 0, *" "${job[@]}"

# An evaluator that has nothing to evaluate.
for of_chief in "" "--output_dir=$folder/one"; do
  tasks "$here" chief 0 "$small $of_chief" worker 0 "" worker 1 "" evaluator 0 "--output_dir=$folder/other"
  expect 78 $slow "*--output_dir is * on rank 0 (chief, *) and '$folder/other' on rank 0 (evaluator 0, *): an evaluator evaluates what *" "${job[@]}"
done
tasks "$here" chief 0 "$small" worker 0 "" worker 1 "" evaluator 0 ""
expect 64 $slow "*rank 0 (evaluator 0, *) is an evaluator task by TF_CONFIG, * rank 0 (chief, *) has no --output_dir; give it *" "${job[@]}"
tasks "$here" chief 0 "$small --output_dir=$folder/one" worker 0 "" worker 1 "" \
  evaluator 0 --worker_gpu=2 evaluator 0 "--worker_gpu=2 --schedule=evaluate"
expect 78 $slow "*--schedule is 'continuous_eval' on rank 0 (evaluator 0, *) and 'evaluate' on rank 1 (evaluator 1, *" "${job[@]}"

# Differing flags, with both values.
tasks "$here" chief 0 "$small" worker 0 --train_steps=7 worker 1 ""
expect 78 $slow "*--train_steps is '6' on rank 0 (chief, *) and '7' on rank 1 (worker 0, *" "${job[@]}"

exit $failed
