#!/bin/bash
# A cluster by TF_CONFIG over three hosts, named in each of the ways a host can be: each host has the same ranks,
# whatever the order in which the launcher starts the processes; and an evaluator next to them, which evaluates every
# checkpoint.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3

cluster='{"chief": ["n1:2222"], "worker": ["n2.cluster.example:2222", "10.213.0.13:2222"]}'
# task JOB INDEX: prints the environment of one process.
task() { echo "TF_CONFIG={\"cluster\": $cluster, \"task\": {\"type\": \"$1\", \"index\": $2}}"; }
flags=(--model=linear --exact --global_batch_size=96 --train_steps=40 --log_every=10)

train_here 1 "${flags[@]}" --output_dir=/mnt/home/here
expected=$(parameters_of /mnt/home/here)

# expect_run NAME RESULT: checks that the run has these parameters, and that its ranks are on the hosts of the cluster.
expect_run() {
  [[ $(parameters_of "/mnt/$1") == "$expected" ]] || complain "$1: other parameters than one rank's" "/mnt/$1.log"
  local place
  for place in "0  chief  n1" "1  worker  n2" "2  worker  n3"; do
    said " rank $place  cpu" "/mnt/$1.log" || complain "$1: no rank $place" "/mnt/$1.log"
  done
}

# job NAME WORDS...: trains with these words of mpirun's command line, within a minute.
job() {
  local name=$1
  shift
  timeout 60 mpirun --bind-to none "$@" "$build/train" "${flags[@]}" --output_dir="/mnt/$name" 2>"/mnt/$name.log" ||
    complain "$name: ended with $?" "/mnt/$name.log"
  expect_run "$name"
}

# One TF_CONFIG for all processes.
text=$(task worker 1)
job listed --host n3,n1,n2 -x "$text"
printf 'n2\nn3\nn1\n' >/mnt/order
job sequence --hostfile /mnt/order -np 3 --map-by seq -x "$text"
printf 'rank %d=%s slot=0\n' 0 n3 1 n2 2 n1 >/mnt/ranks
job rankfile -np 3 --rankfile /mnt/ranks --host n1,n2,n3 -x "$text"

# TF_CONFIG on the first host alone, as when -x is forgotten: sufficient if it is that host's task, else one message
# names the cure.
job one_host -np 1 --host n3 env "$text" "$build/train" : -np 2 --host n1,n2
code=0
timeout 60 mpirun --bind-to none -np 1 --host n2 env "$text" "$build/train" : -np 2 --host n3,n1 "$build/train" "${flags[@]}" \
  2>/mnt/not_passed.log || code=$?
[[ $code == 78 ]] || complain "TF_CONFIG on one host: ended with $code" /mnt/not_passed.log
said "Process 1 on n3 was told nothing of the cluster: .*-x TF_CONFIG" /mnt/not_passed.log ||
  complain "no word of -x" /mnt/not_passed.log

# A TF_CONFIG for each task, including an evaluator, which has a line for each checkpoint.
words=()
for place in "n3 evaluator 0" "n2 worker 0" "n1 chief 0" "n3 worker 1"; do
  read -r host job index <<<"$place"
  ((${#words[@]} == 0)) || words+=(:)
  words+=(-np 1 --host "$host" env "$(task "$job" "$index")" "$build/train")
  [[ $job != chief ]] || words+=("${flags[@]}" --save_checkpoints_steps=10 --output_dir=/mnt/each)
done
timeout 60 mpirun --oversubscribe --bind-to none "${words[@]}" 2>/mnt/each.log || complain "each: ended with $?" /mnt/each.log
expect_run each
said "4 checkpoints evaluated: the training has finished" /mnt/each.log || complain "the evaluator" /mnt/each.log
expect_evaluated /mnt/each
