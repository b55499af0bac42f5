#!/bin/bash
# `lockstep cluster` for mpirun over three hosts: the ranks come to the hosts of their tasks, in order, and each process
# of a job learns its own place.
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 3
export PATH=$build:$PATH

# A stand-in for train: prints its rank and its host.
mkdir -p /mnt/job/build
cat >/mnt/job/build/train <<'END'
#!/bin/sh
echo "$OMPI_COMM_WORLD_RANK $(uname -n) $*"
END
chmod 755 /mnt/job/build/train
cd /mnt/job || exit

# expect WHAT EXPECTED COMMAND...: compares the sorted output of a command.
expect() {
  local said
  said=$(timeout 60 "${@:3}" 2>/mnt/log | sort -n | sed 's/ *$//' | paste -sd,) || true
  [[ $said == "$2" ]] || complain "$1: '$said' instead of '$2'" /mnt/log
}

# Ranks host by host, and neighbouring ranks on different hosts.
export TF_CONFIG='{"cluster": {"master": ["n2:2222"], "ps": ["n1:2222", "n3:2222"]}, "task": {"type": "ps", "index": 0}}'
by_host='0 n2 --ps_gpu=2,1 n1 --ps_gpu=2,2 n1 --ps_gpu=2,3 n3 --ps_gpu=2,4 n3 --ps_gpu=2'
lockstep cluster --ps_gpu=2 --format=mpirun --output=hosts >line 2>/mnt/log || complain "no line" /mnt/log
expect "the line of mpirun" "$by_host" bash line
lockstep cluster --ps_gpu=2 --format=appfile >appfile 2>/mnt/log || complain "no app file" /mnt/log
expect "the app file" "$by_host" mpirun --bind-to none --app appfile

export TF_CONFIG='{"cluster": {"chief": ["n2:2222"], "worker": ["n1:2222", "n2:2223", "n3:2222", "n1:2223"]}}'
alternating='0 n2,1 n1,2 n2,3 n3,4 n1'
lockstep cluster --format=mpirun >commands 2>/mnt/log || complain "no commands" /mnt/log
expect "alternating hosts: the commands" "$alternating" bash commands
lockstep cluster --format=appfile >appfile 2>/mnt/log || complain "no app file" /mnt/log
expect "alternating hosts: the app file" "$alternating" mpirun --bind-to none --app appfile
lockstep cluster --format=rankfile >rankfile 2>/mnt/log || complain "no rankfile" /mnt/log
expect "alternating hosts: the rankfile" "$alternating" mpirun -np 5 --rankfile rankfile build/train
unset TF_CONFIG

# Within a job, the list of hosts names the first one.
printf '%s\n' 'n2 slots=1' 'n1 slots=2' >three
places=''
for rank in '0 0 1' '1 0 2' '2 1 2'; do
  read -r number local_rank local_size <<<"$rank"
  places+=${places:+,}"RANK=$number WORLD_SIZE=3 LOCAL_RANK=$local_rank LOCAL_WORLD_SIZE=$local_size MASTER_ADDR=n2 MASTER_PORT=29500"
done
job=(mpirun -np 3 --hostfile three --bind-to none -x PATH)
expect "torchrun's variables by the hostfile" "$places" "${job[@]}" lockstep cluster --hostfile=three --format=torchrun
expect "torchrun's variables by MASTER_ADDR" "$places" "${job[@]}" -x MASTER_ADDR=n2 lockstep cluster --format=torchrun
