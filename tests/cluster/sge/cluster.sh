# shellcheck shell=bash
# A Grid Engine: the head is master and submit host, the nodes are execution hosts with four slots each. Sourced inside
# a sandbox. Defines: cluster_up, node_booted.
# shellcheck source=tests/cluster/lib/nodes.sh
source tests/cluster/lib/nodes.sh
# shellcheck source=tests/cluster/sge/unpack.sh
source tests/cluster/sge/unpack.sh
configuration=$PWD/tests/cluster/sge/configuration
programs=/usr/lib/gridengine
share=/usr/share/gridengine
export SGE_ROOT=/mnt/sge SGE_CELL=default SGE_QMASTER_PORT=6444 SGE_EXECD_PORT=6445

cluster_up() { # NODES
  local number
  if [[ ! -d $grid_engine ]]; then
    echo "Grid Engine is not unpacked in $grid_engine: tests/cluster/run sge/train does that" >&2
    return 1
  fi
  # Grid Engine opens a library by its path below /usr. The nodes inherit this mount.
  mount -t overlay -o "lowerdir=$grid_engine/usr:/usr" grid_engine /usr
  network_up
  # The nodes share the cores of one machine, which mpirun cannot know.
  mkdir -p /mnt/home/.openmpi
  echo "mpi_yield_when_idle = 1" >/mnt/home/.openmpi/mca-params.conf
  master_up
  queue_up
  for ((number = 1; number <= $1; number++)); do node_up "n$number"; done
  wait_until 60 hosts_are_up "$1"
}

# Called by node_up.
node_booted() { # NAME
  qconf -sel 2>&1 | grep -qx "$1" || add_host "$1"
  on "$1" "$programs/sge_execd"
}

# Does the work of the package's init_cluster, and starts the master.
master_up() {
  local folder
  mkdir -p "$SGE_ROOT"/{bin,lib,utilbin,default/common,qmaster,spool}
  for folder in bin lib utilbin; do ln -s "$programs" "$SGE_ROOT/$folder/lx-amd64"; done
  ln -s "$share/util" "$SGE_ROOT/util"
  cp "$configuration/bootstrap" "$SGE_ROOT/default/common/bootstrap"
  echo head >"$SGE_ROOT/default/common/act_qmaster"
  changed "$configuration/global" <"$share/default-configuration" >/tmp/global
  chown -R sgeadmin:sgeadmin "$SGE_ROOT"/{default,qmaster,spool}
  as_sgeadmin spoolinit classic libspoolc "$SGE_ROOT/default/common;$SGE_ROOT/qmaster" init
  as_sgeadmin spooldefaults configuration /tmp/global
  as_sgeadmin spooldefaults complexes "$share/util/resources/centry"
  as_sgeadmin spooldefaults usersets "$share/util/resources/usersets"
  as_sgeadmin spooldefaults managers sgeadmin root
  "$programs/sge_qmaster"
  wait_until 60 qconf -sh
}
as_sgeadmin() { quietly setpriv --reuid=sgeadmin --regid=sgeadmin --clear-groups "$programs/$1" "${@:2}"; }

# Makes the queue all.q, without a host yet. All settings are files: qconf would open an editor otherwise.
queue_up() {
  local pe
  quietly qconf -as head
  qconf -ssconf | changed "$configuration/scheduler" >/tmp/scheduler
  quietly qconf -Msconf /tmp/scheduler
  for pe in "$configuration"/pe_*; do quietly qconf -Ap "$pe"; done
  quietly qconf -Ackpt "$configuration/ckpt_restart"
  printf 'group_name @allhosts\nhostlist NONE\n' >/tmp/group
  quietly qconf -Ahgrp /tmp/group
  qconf -sq | changed "$configuration/queue" >/tmp/queue
  quietly qconf -Aq /tmp/queue
}

add_host() { # NAME
  quietly qconf -ah "$1"
  quietly qconf -as "$1"
  changed <(echo "hostname $1") <"$configuration/host" >/tmp/host
  quietly qconf -Ae /tmp/host
  quietly qconf -aattr hostgroup hostlist "$1" @allhosts
}

hosts_are_up() { # NUMBER
  [[ $(qstat -f | awk '/^all.q@/ && NF == 5' | wc -l) == "$1" ]]
}

# changed FILE: prints the configuration from the standard input with the file's values for the names in the file.
changed() { awk 'NR == FNR { value[$1] = $0; next } { print $1 in value ? value[$1] : $0 }' "$1" -; }

# quietly COMMAND...: shows its output only if it fails.
quietly() {
  local output
  output=$("$@" 2>&1) || { printf '%s: %s\n' "$*" "$output" >&2; return 1; }
}
