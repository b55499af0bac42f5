#!/bin/bash
# A rank is killed, and a host loses its power, in the middle of a job over three hosts: mpirun ends within seconds with
# a code that is neither 0 nor 75, and the same command resumes on the remaining hosts.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3

job() { # HOSTS STEPS
  mpirun_over "$1" "$build/train" --model=linear --exact --global_batch_size=96 --train_steps="$2" \
    --save_checkpoints_steps=500 --output_dir=/mnt/run
}
saved() { ls /mnt/run/model.ckpt-*.h5; }

# ends_after HOW COMMAND...: starts an endless job, harms it with COMMAND, and checks how it ends.
ends_after() {
  local how=$1 code=0 begin
  shift
  job n1:2,n2:2,n3:2 100000000 2>/mnt/log &
  wait_until 60 saved || complain "$how: the job does not save" /mnt/log
  begin=$SECONDS
  "$@"
  wait $! || code=$?
  ((SECONDS - begin < 15)) || complain "$how: the end took $((SECONDS - begin)) s" /mnt/log
  ((code != 0 && code != 75)) || complain "$how: mpirun ended with $code" /mnt/log
  echo "$how: mpirun ended with $code after $((SECONDS - begin)) s"
}

kill_rank() { on n3 pkill -KILL -n -x train; }
ends_after "a rank killed" kill_rank
ends_after "a host switched off" node_off n2

# The length of the reference depends on the steps that were made.
step=$(saved_step /mnt/run)
job n1:2,n3:2 "$((step + 300))" 2>/mnt/log || complain "not resumed on two hosts" /mnt/log
said "resum.*model.ckpt-$step" /mnt/log || complain "not resumed from step $step" /mnt/log
finished /mnt/run || complain "not finished" /mnt/log
