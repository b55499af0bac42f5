#!/bin/bash
# Runs train itself on a part of the hostile forms of a checkpoint, on one rank and on two: checks how it ends, in what
# time, and with how much memory.
set -uo pipefail
build=$LOCKSTEP_BUILD_DIR
failed=0
"$build/tests/hostile_train" 23 30 "$build/train" || failed=1
"$build/tests/hostile_train" 47 30 "${LOCKSTEP_MPIRUN:-mpirun}" --oversubscribe --bind-to none -np 2 "$build/train" || failed=1
exit $failed
