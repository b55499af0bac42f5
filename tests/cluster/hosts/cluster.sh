# shellcheck shell=bash
# Plain hosts: mpirun with a list of hosts, and no scheduler. In place of ssh we enter the other host's namespaces; this
# needs root, so mpirun runs as root. Sourced inside a sandbox. Defines: cluster_up, mpirun_over.
# shellcheck source=tests/cluster/lib/nodes.sh
source tests/cluster/lib/nodes.sh

cluster_up() { # NODES
  local number
  network_up
  for ((number = 1; number <= $1; number++)); do node_up "n$number"; done
  mkdir -p /mnt/bin
  cat >/mnt/bin/remote_shell <<'AGENT'
#!/bin/bash
# Called by mpirun in place of ssh: remote_shell HOST COMMAND WORDS..., which a shell reads there.
host=$1
shift
exec nsenter --target "$(<"/mnt/nodes/$host/pid")" --mount --uts --ipc --net --pid --wdns=/ bash -c "$*"
AGENT
  chmod 755 /mnt/bin/remote_shell
  # The nodes share the cores of one machine, which mpirun cannot know.
  export OMPI_MCA_mpi_yield_when_idle=1
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=/mnt/bin/remote_shell
}

# mpirun_over "n1:2,n2:2" WORDS...
mpirun_over() { mpirun --host "$1" --bind-to none "${@:2}"; }
