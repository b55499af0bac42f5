# shellcheck shell=bash
# A Slurm: slurmctld and munged on the head node, slurmd on nodes n1, n2, ... Sourced inside a sandbox. Each node claims
# four processors and two GPUs, which are stand-ins. Partition `batch` is the default; jobs of `urgent` preempt its
# jobs, which are requeued after a grace time. Defines: cluster_up, slurm_node_up, nodes_idle.
# shellcheck source=tests/cluster/lib/nodes.sh
source tests/cluster/lib/nodes.sh

cluster_up() { # NODES
  local number
  export SLURM_CONF=/mnt/slurm/slurm.conf
  # The nodes share the cores of one machine, which Open MPI cannot know.
  export OMPI_MCA_mpi_yield_when_idle=1
  network_up
  mkdir -p /mnt/slurm/munge /mnt/slurm/state
  write_slurm_conf "$1"
  head -c 1024 /dev/urandom >/mnt/slurm/munge/key
  chmod 400 /mnt/slurm/munge/key
  munged --force --socket=/mnt/slurm/munge/socket --key-file=/mnt/slurm/munge/key --pid-file=/mnt/slurm/munge/pid \
    --log-file=/mnt/slurm/munge/log --seed-file=/mnt/slurm/munge/seed
  slurmctld
  for ((number = 1; number <= $1; number++)); do slurm_node_up "n$number"; done
  wait_until 60 nodes_idle "$1" || { sinfo -N -l >&2; tail -n 20 /mnt/slurm/*.log >&2; return 1; }
}

# slurm_node_up NAME: also brings back a node that was switched off.
slurm_node_up() {
  node_up "$1"
  on "$1" slurmd
}

# nodes_idle COUNT: returns whether exactly COUNT nodes are up and idle.
nodes_idle() { [[ $(sinfo --noheader --Node --states=idle --format=%N 2>/dev/null | sort -u | wc -l) == "$1" ]]; }

# Time-outs are short if a long one would only delay the tests: until a lost node is noticed (SlurmdTimeout), from TERM
# to KILL (KillWait), and until a requeued job starts (cred_expire). No cgroups, and everything belongs to root or the
# user.
write_slurm_conf() { # NODES
  local gpu
  for gpu in 0 1; do mknod "/mnt/slurm/gpu$gpu" c 1 3; done
  echo "Name=gpu File=/mnt/slurm/gpu[0-1]" >/mnt/slurm/gres.conf
  cat >/mnt/slurm/slurm.conf <<CONF
ClusterName=lockstep
SlurmctldHost=head(10.213.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=/mnt/slurm/munge/socket,cred_expire=6
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
ReturnToService=2
JobRequeue=1
KillWait=10
SlurmctldTimeout=10
SlurmdTimeout=10
MessageTimeout=10
SchedulerParameters=sched_interval=2,bf_interval=2
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
StateSaveLocation=/mnt/slurm/state
SlurmctldPidFile=/mnt/slurm/slurmctld.pid
SlurmctldLogFile=/mnt/slurm/slurmctld.log
SlurmdPidFile=/tmp/slurmd.pid
SlurmdLogFile=/mnt/slurm/%n.log
SlurmdSpoolDir=/tmp/slurmd
$(for ((number = 1; number <= $1; number++)); do
    echo "NodeName=n$number NodeAddr=10.213.0.$((10 + number)) CPUs=4 RealMemory=4000 Gres=gpu:2 State=UNKNOWN"
  done)
PartitionName=batch Nodes=n[1-$1] Default=YES MaxTime=INFINITE PriorityTier=1 GraceTime=20
PartitionName=urgent Nodes=n[1-$1] MaxTime=INFINITE PriorityTier=2 PreemptMode=OFF
CONF
}
