#!/bin/bash
# Hosts with one rank each over links of 1 Gbit/s: --collective=auto sums in a ring of our own. It sends the possible
# minimum, all replicas agree, and under --exact the bits are those of one host. The times are only printed, since a busy
# machine cannot guarantee them.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 4
shape_links 1gbit 0 n1 n2 n3 n4

exact=(--hparams=hidden_size=128 --train_steps=10 --exact --global_batch_size=96)
train_here 1 "${exact[@]}" --output_dir=/mnt/home/exact
mpirun_over n1:1,n2:1,n3:1 "$build/train" "${exact[@]}" --collective=ring --output_dir=/mnt/exact
[[ $(parameters_of /mnt/exact) == "$(parameters_of /mnt/home/exact)" ]] || complain "--exact over ring: other bits"

# 2.9 million parameters: 11 MB a step, of which each host sends 2 (H-1)/H. --overlap=auto would measure some steps more.
flags=('--hparams=hidden_size=1344,batch_size=8' --local_eval_frequency=0 --train_steps=15 --overlap=inline)
before=$(bytes_sent n1)
mpirun_over n1:1,n2:1,n3:1,n4:1 "$build/train" "${flags[@]}" --output_dir=/mnt/ring >/mnt/log 2>&1 || complain "ring" /mnt/log
sent=$(($(bytes_sent n1) - before))
said "summed over ring" /mnt/log || complain "auto does not choose ring" /mnt/log
said 'between hosts: eth0, [01]\.[0-9]* Gbit/s$' /mnt/log || complain "the links are not named" /mnt/log
# 15 steps of 17.2 MB, 258 MB; the initial values to two or three others, up to 35 MB; headers, 4.6 %.
((sent < 320000000)) || complain "a host sends $sent bytes"

mpirun_over n1:1,n2:1,n3:1,n4:1 "$build/bench/collective" --backends=ring,mpi,mpi_plain --bytes=4096,1048576,16777216 \
  --seconds=1 2>/mnt/log || complain "bench/collective" /mnt/log
