#!/bin/bash
# Links of 1 Gbit/s that lose one packet in a thousand: the job is slower, and its bits are the same.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3
shape_links 1gbit 1000 n1 n2 n3

flags=(--hparams=hidden_size=256 --train_steps=40 --collective=mpi)
train_here 3 "${flags[@]}" --output_dir=/mnt/home/here
mpirun_over n1:1,n2:1,n3:1 "$build/train" "${flags[@]}" --output_dir=/mnt/there
[[ $(parameters_of /mnt/there) == "$(parameters_of /mnt/home/here)" ]] || complain "other parameters than on one host"
lost=0
for name in n1 n2 n3; do lost=$((lost + $(packets_lost "$name"))); done
echo "packets lost: $lost"
((lost > 0)) || complain "no packet was lost: this shows nothing"
