#!/bin/bash
# Parameter servers over three hosts: tensor2tensor's example of asynchronous training, by TF_CONFIG and its own flags;
# the bits of one rank where no gradient may be old, over messages and over windows; servers placed by a number; and a
# host with a server that is lost.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3

flags=(--problem=image_shapes --model=linear --global_batch_size=96 --log_every=10)

# Two tasks that train and two that serve, with the flags that make-tf-configs prints for each.
cluster='{"chief": ["n1:2222"], "worker": ["n2:2222"], "ps": ["n2:2223", "n3:2222"]}'
words=()
for place in "n1 chief 0 chief 0" "n2 worker 0 worker 1" "n2 ps 0 ps 0" "n3 ps 1 ps 0"; do
  read -r host job index name id <<<"$place"
  ((${#words[@]} == 0)) || words+=(:)
  words+=(-np 1 --host "$host" env "TF_CONFIG={\"cluster\": $cluster, \"task\": {\"type\": \"$job\", \"index\": $index}}" "$build/train"
    --master="grpc://$host:2222" --ps_replicas=2 --worker_replicas=2 --worker_gpu=0 --worker_id="$id" --ps_gpu=0 --schedule=train
    --worker_job="/job:$name" --train_steps=200 "${flags[@]}" --output_dir=/mnt/async)
done
timeout 60 mpirun --oversubscribe --bind-to none "${words[@]}" 2>/mnt/async.log || complain "async: ended with $?" /mnt/async.log
for place in "0  chief  n1" "1  worker  n2" "2  parameter server  n2" "3  parameter server  n3"; do
  said " rank $place  cpu" /mnt/async.log || complain "async: no rank $place" /mnt/async.log
done
said 'steps by rank: [0-9]+, [0-9]+$' /mnt/async.log || complain "async: no word of each rank's steps" /mnt/async.log
finished /mnt/async || complain "async: not finished" /mnt/async.log

train_here 1 "${flags[@]}" --train_steps=40 --output_dir=/mnt/home/here
for transport in p2p rma; do
  timeout 60 mpirun --host n1:2,n2:2,n3:2 --bind-to none "$build/train" "${flags[@]}" --train_steps=40 --ps_replicas=3 --max_staleness=0 \
    --ps_transport=$transport --output_dir="/mnt/$transport" 2>"/mnt/$transport.log" || complain "$transport: ended with $?" "/mnt/$transport.log"
  [[ $(parameters_of "/mnt/$transport") == "$(parameters_of /mnt/home/here)" ]] ||
    complain "$transport: other parameters than one rank's" "/mnt/$transport.log"
  for place in "3  parameter server  n1" "4  parameter server  n2" "5  parameter server  n3"; do
    said " rank $place  cpu" "/mnt/$transport.log" || complain "$transport: no rank $place" "/mnt/$transport.log"
  done
done

# A host with a server is lost: the job ends, and goes on from its newest checkpoint with another number of servers.
mpirun_over n1:1,n2:1,n3:1 "$build/train" "${flags[@]}" --train_steps=100000000 --ps_replicas=1 --ps_ranks=2 \
  --save_checkpoints_steps=500 --output_dir=/mnt/lost 2>/mnt/lost.log &
saved() { ls /mnt/lost/model.ckpt-*.h5; }
wait_until 60 saved || complain "lost: the job does not save" /mnt/lost.log
begin=$SECONDS code=0
node_off n3
wait $! || code=$?
((SECONDS - begin < 15)) || complain "lost: the end took $((SECONDS - begin)) s" /mnt/lost.log
((code != 0 && code != 75)) || complain "lost: mpirun ended with $code" /mnt/lost.log
step=$(saved_step /mnt/lost)
mpirun_over n1:2,n2:2 "$build/train" "${flags[@]}" --train_steps="$((step + 100))" --ps_replicas=2 --output_dir=/mnt/lost 2>/mnt/lost.log ||
  complain "lost: not resumed on two hosts" /mnt/lost.log
said "resum.*model.ckpt-$step" /mnt/lost.log || complain "lost: not resumed from step $step" /mnt/lost.log
finished /mnt/lost || complain "lost: not finished" /mnt/lost.log
