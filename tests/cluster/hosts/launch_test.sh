#!/bin/bash
# mpirun over three hosts: the bits of one host.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3

flags=(--train_steps=100 --save_checkpoints_steps=50)
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here
mpirun_over n1:2,n2:2,n3:2 "$build/train" "${flags[@]}" --output_dir=/mnt/there 2>&1 | tee /tmp/there.log
[[ $(parameters_of /mnt/there) == "$(parameters_of /mnt/home/here)" ]] || complain "other parameters than on one host"
