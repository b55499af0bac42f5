#!/bin/bash
# Jobs whose processes are started with different flags, as scripts for tensor2tensor do: the chief's flags apply to
# all, contradictions are refused with both values, and T2T's launch flags keep their meaning.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

slow=40
train="$(train)"
small="--model=linear --hparams=batch_size=16 --train_steps=4"

# three FLAGS FLAGS FLAGS: prints the command of a job of three processes with flags of their own.
three() { echo "$(mpi 1) $train $1 : -np 1 $train $2 : -np 1 $train $3"; }

# shellcheck disable=SC2046,SC2086  # $(three ...) is a command line
{
  # The chief's flags apply to processes that give none, and run_std_server stands for the chief's schedule.
  expect 0 $slow "*trained 4 steps*nothing was evaluated*" $(three "$small --schedule=train" --schedule=run_std_server "")
  expect 0 $slow "* 3 ranks x 16 samples = global batch 48; *" $(three "$small" "--device=cpu" "--schedule=run_std_server --quiet")
  # If flags agree, it does not matter which process gives them.
  expect 0 $slow "*trained 4 steps*" $(three "$small --stop_after=10m" "--stop_after=600 --exact=false" "--local_eval_frequency=1000")

  # Contradictions.
  expect 78 $slow "*--train_steps is '4' on rank 0 (chief, *) and '5' on rank 2 (worker 1, *); *" \
    $(three "$small" "" --train_steps=5)
  expect 78 $slow "*--strategy is not given on rank 0 (chief, *) and 'model_averaging' on rank 1 (worker 0, *" \
    $(three "$small" --strategy=model_averaging "")
  expect 78 $slow "*--schedule is 'train' on rank 0 (chief, *) and 'evaluate' on rank 1 (worker 0, *" \
    $(three "$small --schedule=train" --schedule=evaluate "")
  expect 78 $slow "*hparam batch_size is '16' on rank 0 (*) and '17' on rank 1 (*); *" $(three "$small" --hparams=batch_size=17 "")
  # Two kinds of work in one world, also if a file of flags says so: no process waits for the others.
  expect 78 $slow "*--schedule is 'train' on rank 0 (chief, *) and 'evaluate' on rank 1 (worker 0, *" \
    $(mpi 1) "$train" $small --schedule=train : -np 1 "$train" --schedule=evaluate
  expect 78 $slow "*--schedule is 'evaluate' on rank 0 (chief, *) and 'train' on rank 1 (worker 0, *" \
    $(mpi 1) "$train" --schedule=evaluate --output_dir="$folder/none" : -np 1 "$train" --schedule=train
  echo '{"schedule": "evaluate", "checkpoint_path": "none.h5"}' >"$folder/evaluate.json"
  expect 78 $slow "*--schedule is '*' on rank 0 (*) and 'evaluate' on rank 1 (*" $(three "$small" "--config=$folder/evaluate.json" "")
  expect 78 $slow "*--schedule=run_std_server on rank 0 (chief, *): that is the chief, *" \
    $(three --schedule=run_std_server --schedule=run_std_server --schedule=run_std_server)
  expect 78 $slow "*--worker_id=2 on rank 1 (worker 0, *): that one is 1 *" $(three "$small --worker_id=0" --worker_id=2 --worker_id=2)

  # An error that one process finds in its own flags ends all.
  expect 64 $slow "*unknown flag --trian_steps *" $(three "$small" "" --trian_steps=5)
}
expect 78 $slow "*--schedule=run_std_server on rank 0 (chief, *" "$train" --schedule=run_std_server

# --hp_NAME, and a file of flags that only the chief has: its content goes to the others, which need not have the file.
echo '{"model": "linear", "train_steps": 3, "hparams": "batch_size=8"}' >"$folder/flags.json"
# shellcheck disable=SC2046
{
  expect 0 $slow "* 3 ranks x 9 samples = global batch 27; *" $(mpi 3) "$train" --model=linear --train_steps=3 --hp_batch_size 9
  expect 64 $slow "*Multiple assignments*" $(mpi 3) "$train" --hparams=batch_size=8 --hp_batch_size=9
  expect 0 $slow "* 3 ranks x 8 samples = global batch 24; *" $(three "--config=$folder/flags.json" "" "")
}

# The number of ranks.
# shellcheck disable=SC2046,SC2086
{
  expect 0 $slow "*trained 4 steps*" $(mpi 3) "$train" $small --worker_replicas=3 --worker_gpu=1
  expect 78 $slow "*--worker_replicas=2: that is 2 ranks, and this job has 3 ranks: mpirun -np 2 train, *" $(mpi 3) "$train" $small --worker_replicas=2
  expect 78 $slow "*--worker_gpu=4: that is 4 ranks, and this job has 1 rank: mpirun -np 4 train, *" "$train" $small --worker_gpu=4
  expect 78 $slow "*--ps_replicas=3: that is 3 parameter servers and at least 1 rank to train, and this job has 3 ranks: mpirun -np 4 train, *" \
    $(mpi 3) "$train" $small --ps_replicas=3
  expect 78 $slow "*--ps_ranks=3: there is no rank 3 in a job of 3 ranks, *mpirun -np 4 train*" $(mpi 3) "$train" $small --ps_ranks=3
  expect 64 $slow "*--ps_ranks=0,2: rank 0 is the chief, *" $(mpi 3) "$train" $small --ps_ranks=0,2
  expect 78 $slow "*--sync --ps_replicas=2 --ps_gpu=2: that is 1 rank *, and 4 that compute, and this job has 3 ranks: mpirun -np 5 *" \
    $(mpi 3) "$train" $small --sync --ps_replicas=2 --ps_gpu=2
}

# T2T's command line for a master and two ps tasks: the master only leads, which does not change a bit of --exact.
exact="--exact --global_batch_size=40 --hparams=hidden_size=24 --train_steps=6 --local_eval_frequency=0"
hash_of() { parameters_of "$folder/$1"; }
# shellcheck disable=SC2046,SC2086
{
  expect 0 $slow "* rank 0  chief without data *" $(mpi 3) "$train" $exact --output_dir="$folder/led" --master=grpc://h:2222 \
    --ps_replicas=2 --worker_replicas=1 --worker_gpu=0 --worker_id=0 --ps_gpu=1 --sync --schedule=train --worker_job=/job:master
  expect 0 $slow "*trained 6 steps*" "$train" $exact --schedule=train --output_dir="$folder/alone"
}
[[ -n $(hash_of led) && $(hash_of led) == "$(hash_of alone)" ]] || complain "led by a master: other parameters than alone"

# The strategies of tf.distribute.
# shellcheck disable=SC2046,SC2086
{
  expect 0 $slow "*strategy sync: *" $(mpi 2) "$train" $small --strategy=MultiWorkerMirroredStrategy
  expect 0 $slow "*strategy sync: *" $(mpi 2) "$train" $small --strategy=mirrored
  expect 78 $slow "*--strategy=OneDeviceStrategy: it stands for one replica, and this job has 2 ranks; *" $(mpi 2) "$train" --strategy=OneDeviceStrategy
  expect 78 $slow "*--strategy=ParameterServerStrategy: no rank is there to hold the parameters; give --ps_replicas=K *" $(mpi 2) "$train" --strategy=ParameterServerStrategy
}

# A flag that T2T has and this program lacks is refused unless it has its default.
# shellcheck disable=SC2086
{
  expect 0 $slow "*trained 4 steps*" "$train" $small --tmp_dir=/nowhere --generate_data=False --eval_throttle_seconds=600 \
    --keep_checkpoint_every_n_hours=10000 --worker_gpu_memory_fraction=0.95 --std_server_protocol=grpc --xla_jit_level=-1 \
    --optionally_use_dist_strat=False --gpu_automatic_mixed_precision=False --gpu_order= --ps_job=/job:ps --log_step_count_steps=100
  expect 64 $slow "*--generate_data=true: there is nothing to generate: *" "$train" $small --generate_data
  expect 64 $slow "*--eval_throttle_seconds=5: evaluations are made by steps, *--local_eval_frequency=STEPS*" "$train" $small --eval_throttle_seconds=5
}
exit $failed
