# shellcheck shell=bash
# The nodes of a cluster, inside a sandbox (../sandbox), which is their head node. A node is a set of namespaces: it has
# its own address, host name, processes, /tmp and /dev/shm; every other path is the same on all nodes, above all /mnt.
# Killing a node's first process is like cutting its power: all its processes are gone at once, and its link too, so
# that no peer gets a FIN or a RST. Expects `set -euo pipefail`. Defines: network_up, node_up, node_off, cut_off,
# reconnect, on, as_researcher, shape_links, bytes_sent, packets_lost, wait_until.

# The bridge is in the sandbox's network. Its address is fixed: a bridge that takes its ports' address changes it when a
# node goes, and the others lose their route to it.
network_up() {
  ip link add bridge0 address 02:00:0a:d5:00:01 type bridge
  ip link set bridge0 up
  ip address add 10.213.0.1/24 dev bridge0
  echo "10.213.0.1 head" >>/etc/hosts
}

# node_up NAME: NAME ends in the node's number. Also brings back a node that was switched off; its /tmp is empty then. A
# cluster that has daemons on its nodes defines node_booted, which starts them.
node_up() {
  local name=$1 number=${1##*[!0-9]} folder=/mnt/nodes/$1 holder
  rm -rf "$folder"
  mkdir "$folder"
  grep -q " $name\$" /etc/hosts || echo "10.213.0.$((10 + number)) $name" >>/etc/hosts
  setsid unshare --net --uts --ipc --mount --pid --fork --kill-child --mount-proc \
    "$(dirname "${BASH_SOURCE[0]}")/node_init" "$name" </dev/null >"$folder/log" 2>&1 &
  holder=$!
  disown
  until [[ -e $folder/ready ]]; do
    kill -0 "$holder" || { cat "$folder/log" >&2; return 1; }
    sleep 0.02
  done
  pgrep -P "$holder" >"$folder/pid"
  # The link of a node that has just gone may not have been removed yet.
  ip link delete "to_$name" 2>/dev/null || true
  ip link add "to_$name" type veth peer name eth0 netns "$(<"$folder/pid")"
  ip link set "to_$name" master bridge0 up
  in_network "$name" ip address add "10.213.0.$((10 + number))/24" dev eth0
  in_network "$name" ip link set eth0 up
  if declare -F node_booted >/dev/null; then node_booted "$name"; fi
}

# node_off NAME: cuts its power.
node_off() {
  local pid
  pid=$(<"/mnt/nodes/$1/pid")
  rm "/mnt/nodes/$1/pid"
  kill -KILL "$pid"
  while [[ -e /proc/$pid ]]; do sleep 0.02; done
}

# cut_off NAME: blocks its packets to the head, while it runs on and reaches the other nodes and the shared folders.
cut_off() { in_network "$1" ip route add blackhole 10.213.0.1; }
reconnect() { in_network "$1" ip route delete blackhole 10.213.0.1; }

in_network() { nsenter --target "$(<"/mnt/nodes/$1/pid")" --net "${@:2}"; }

# on NAME COMMAND...: runs it there as root, in the present directory.
on() {
  nsenter --target "$(<"/mnt/nodes/$1/pid")" --mount --uts --ipc --net --pid --wdns="$PWD" "${@:2}"
}

# as_researcher COMMAND...: runs it here; `on n1 ...` cannot call a function, so it takes the words: on n1
# "${researcher[@]}" CMD
researcher=(setpriv --reuid=20001 --regid=20001 --init-groups env HOME=/mnt/home USER=researcher LOGNAME=researcher
  SHELL=/bin/bash)
as_researcher() { "${researcher[@]}" "$@"; }

# shape_links RATE LOSS NODE...: limits what each node sends and receives to RATE (tc's form: 1gbit), and drops one of
# LOSS incoming packets (0: none), which packets_lost counts. The queue holds 20 ms, and more than one packet of the
# largest size; with losses, packets are as small, and thus as many, as on a wire.
shape_links() {
  local rate=$1 loss=$2 name
  shift 2
  for name in "$@"; do
    tc qdisc replace dev "to_$name" root tbf rate "$rate" burst 256kb latency 20ms
    in_network "$name" tc qdisc replace dev eth0 root tbf rate "$rate" burst 256kb latency 20ms
    ((loss > 0)) || continue
    ip link set "to_$name" gso_max_segs 1
    in_network "$name" ip link set eth0 gso_max_segs 1
    in_network "$name" nft -f - <<RULES
table inet lossy {
  chain incoming { type filter hook input priority 0; iifname "eth0" numgen random mod $loss 0 counter drop; }
}
RULES
  done
}

# bytes_sent NODE...: the bytes that these nodes have sent so far, together.
bytes_sent() {
  local name sum=0
  for name in "$@"; do
    sum=$((sum + $(in_network "$name" sed -nE 's/^ *eth0:( +[0-9]+){8} +([0-9]+).*/\2/p' /proc/net/dev)))
  done
  echo "$sum"
}

packets_lost() { in_network "$1" nft list table inet lossy | sed -n 's/.*counter packets \([0-9]*\).*/\1/p'; }

# wait_until SECONDS COMMAND...: repeats the command until it succeeds; returns 1 if it does not in time.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}
