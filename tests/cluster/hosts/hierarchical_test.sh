#!/bin/bash
# Three hosts over links of 1 Gbit/s: the hierarchical sums against plain mpi. Under --exact both have the same bits.
# Without it a host sends the possible minimum with any size of buckets; mpi sends no less, and with hosts of unequal
# sizes far more. The times are only printed, since a busy machine cannot guarantee them.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3
shape_links 1gbit 0 n1 n2 n3
over=(mpirun_over "n1:2,n2:2,n3:2" "$build/train")

exact=(--hparams=hidden_size=128 --train_steps=10 --exact --global_batch_size=96)
train_here 1 "${exact[@]}" --output_dir=/mnt/home/exact
for name in mpi hierarchical; do
  "${over[@]}" "${exact[@]}" --collective=$name --output_dir=/mnt/exact_$name
  [[ $(parameters_of /mnt/exact_$name) == "$(parameters_of /mnt/home/exact)" ]] || complain "--exact over $name: other bits"
done

# 2.9 million parameters: 11 MB a step. --overlap=auto would measure some steps more.
flags=("--hparams=hidden_size=1344,batch_size=8" --local_eval_frequency=0)
declare -A sent=()
measure() { # HOSTS MEGABYTES
  local name before
  for name in mpi hierarchical; do
    before=$(bytes_sent n1 n2 n3)
    mpirun_over "$1" "$build/train" "${flags[@]}" --train_steps=15 --fusion_mb="$2" --overlap=inline --collective=$name \
      --output_dir="/mnt/$name $*" >/mnt/log 2>&1 || complain "$name" /mnt/log
    sent[$name]=$(($(bytes_sent n1 n2 n3) - before))
    said "summed over $name" /mnt/log || complain "not over $name" /mnt/log
    echo "$1, buckets of $2 MB, $name: $((sent[$name] / 1000000)) MB sent by three hosts in 15 steps," \
      "which took $(sed -n 's/.*trained 15 steps .* in \([0-9.]*\) s:.*/\1/p' /mnt/log) s"
  done
  # 2 S (H-1)/H per host and step, 690 MB, and the initial values.
  ((sent[hierarchical] < 740000000)) || complain "hierarchical sends ${sent[hierarchical]} bytes"
}
for megabytes in 1 16; do
  measure n1:2,n2:2,n3:2 $megabytes
  ((sent[hierarchical] * 100 < sent[mpi] * 102)) || complain "hierarchical sends ${sent[hierarchical]} bytes, mpi ${sent[mpi]}"
done
measure n1:3,n2:2,n3:1 4
((sent[hierarchical] * 100 < sent[mpi] * 80)) || complain "hierarchical sends ${sent[hierarchical]} bytes, mpi ${sent[mpi]}"
[[ $(parameters_of "/mnt/hierarchical n1:2,n2:2,n3:2 1") == "$(parameters_of "/mnt/hierarchical n1:2,n2:2,n3:2 16")" ]] ||
  complain "bits depend on buckets"

# auto makes a choice for these hosts, and a resumed run keeps it.
"${over[@]}" "${flags[@]}" --train_steps=2 --output_dir=/mnt/auto >/mnt/log 2>&1 || complain "auto" /mnt/log
said "summed over hierarchical" /mnt/log || complain "auto does not choose hierarchical" /mnt/log
mpirun_over n1:4,n2:2 "$build/train" "${flags[@]}" --train_steps=4 --output_dir=/mnt/auto >/mnt/log 2>&1 || complain "moved" /mnt/log
said "hierarchical of 2 \+ 2 \+ 2 ranks in .* over hierarchical of 4 \+ 2 ranks from here on" /mnt/log ||
  complain "nothing says that the hosts differ" /mnt/log
code=0
"${over[@]}" "${flags[@]}" --train_steps=2 --collective=shm >/mnt/log 2>&1 || code=$?
[[ $code == 78 ]] || complain "shm on three hosts: ended with $code" /mnt/log
said "on 3 hosts; give --collective=hierarchical" /mnt/log || complain "shm on three hosts: another message" /mnt/log
