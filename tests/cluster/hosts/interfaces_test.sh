#!/bin/bash
# Interfaces of the hosts that lead nowhere: a bridge for containers with one address on all hosts, one without a cable,
# and one that nothing answers on. The first two are left out, the third is named. A link that fails for five seconds
# delays the job, and changes nothing; a slow one is named.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3
hosts=(n1 n2 n3)

add_interface() { # HOST NAME ADDRESS
  in_network "$1" ip address add "$3" dev "$2"
  in_network "$1" ip link set "$2" up
}
for host in "${hosts[@]}"; do
  in_network "$host" ip link add docker0 type bridge
  in_network "$host" ip link add container type veth peer name eth0_inside
  in_network "$host" ip link set container master docker0 up
  in_network "$host" ip link set eth0_inside up
  add_interface "$host" docker0 172.17.0.1/16
  in_network "$host" ip link add eth1 type veth peer name cable
  add_interface "$host" eth1 "192.168.5.${host#n}/24"
done

job() { # STEPS FLAGS...
  mpirun_over n1:1,n2:1,n3:1 "$build/train" --model=linear --train_steps="$1" --collective=ring --local_eval_frequency=0 \
    --log_every=500 "${@:2}" >/mnt/log 2>&1
}
job 5000 --output_dir=/mnt/whole || complain "interfaces that lead nowhere: ended with $?" /mnt/log
said 'btl_tcp_if_exclude=.*docker0,eth1' /mnt/log || complain "nothing says that they are left out" /mnt/log

rm /mnt/log
{
  wait_until 60 said 'step 500/' /mnt/log
  ip link set to_n2 down
  sleep 5
  ip link set to_n2 up
} &
job 5000 --output_dir=/mnt/flapping || complain "a link that fails: ended with $?" /mnt/log
wait $! || complain "the link did not fail"
[[ $(parameters_of /mnt/flapping) == "$(parameters_of /mnt/whole)" ]] || complain "a link that fails: other bits"

shape_links 1gbit 0 n1 n3
shape_links 100mbit 0 n2
job 2 || complain "a slow host: ended with $?" /mnt/log
said 'between hosts: eth0, up to .* to n[23] 0\.[01].* Gbit/s, and all wait for the slowest link' /mnt/log ||
  complain "the slow host is not named" /mnt/log

for host in "${hosts[@]}"; do in_network "$host" ip link set cable up; done
code=0
job 5000 --hang_timeout=5 || code=$?
[[ $code == 70 ]] || complain "an interface without an answer: ended with $code" /mnt/log
said 'MPI may use eth0, eth1 here; if one of them does not reach' /mnt/log || complain "nobody names it" /mnt/log
