#!/bin/bash
# Ranks that wait in the memory of their host deliver the messages that MPI still holds
# (tests/collective/undelivered_message.cc).
# shellcheck source=tests/cluster/lib/check.sh
source tests/cluster/lib/check.sh
# shellcheck source=tests/cluster/hosts/cluster.sh
source tests/cluster/hosts/cluster.sh
cluster_up 2

timeout 60 mpirun --host n1:2,n2:1 --bind-to none "$build/tests/undelivered_message" >/mnt/log 2>&1 ||
  complain "ended with $?; 124 is a deadlock" /mnt/log
said "the message was delivered" /mnt/log || complain "no last line" /mnt/log
