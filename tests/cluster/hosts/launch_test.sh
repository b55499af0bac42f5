#!/bin/bash
# mpirun over three hosts: over mpi the bits equal those on one host, and with --exact those of one rank; the output
# goes to a folder that the hosts share, and to one that each has for itself.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3

flags=(--hparams=hidden_size=64 --train_steps=60 --collective=mpi)
train_here 6 "${flags[@]}" --output_dir=/mnt/home/here
expected=$(parameters_of /mnt/home/here)

mpirun_over n1:2,n2:2,n3:2 "$build/train" "${flags[@]}" --output_dir=/mnt/there
[[ $(parameters_of /mnt/there) == "$expected" ]] || complain "other parameters than on one host"
[[ $(ls /mnt/there/log) == "$(printf 'rank-%04d.log\n' {0..5})" ]] || complain "not every rank's log: $(ls /mnt/there/log)"

# Rank 0 has the checkpoints; the others' logs are on their hosts.
mpirun_over n1:2,n2:2,n3:2 "$build/train" "${flags[@]}" --output_dir=/tmp/there 2>/mnt/log || complain "unshared folder" /mnt/log
on n1 test -s /tmp/there/model.ckpt-60.h5 || complain "no checkpoint on the host of rank 0" /mnt/log
[[ $(on n1 ls /tmp/there/log) == "$(printf 'rank-%04d.log\n' 0 1)" ]] || complain "the logs on n1: $(on n1 ls /tmp/there/log)"
[[ $(on n3 ls -A /tmp/there /tmp/there/log) == *rank-0004.log*rank-0005.log* ]] || complain "the logs on n3"
[[ ! $(on n3 ls -A /tmp/there) == *model.ckpt* ]] || complain "a checkpoint on n3"

exact=("${flags[@]}" --exact --global_batch_size=384)
train_here 1 "${exact[@]}" --output_dir=/mnt/home/exact
mpirun_over n1:2,n2:1,n3:2 "$build/train" "${exact[@]}" --output_dir=/mnt/exact
[[ $(parameters_of /mnt/exact) == "$(parameters_of /mnt/home/exact)" ]] || complain "--exact: other parameters than one rank's"
