#!/usr/bin/env bash
# A rank killed inside an all_reduce over shared memory: another one names it before mpirun ends them, and nothing is
# left in /dev/shm.
#
#   killed_rank_test.sh [JOBS]
set -euo pipefail
jobs=${1-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ours() { find /dev/shm -name '*lockstep*' | wc -l; }

before=$(ours)
for ((job = 1; job <= jobs; ++job)); do
  code=0
  timeout 60 "$LOCKSTEP_MPIRUN" --oversubscribe --bind-to none -np 3 "$LOCKSTEP_BUILD_DIR/tests/test_collective" --mpi \
    --no-skip --test-case='a rank killed inside an all_reduce' > "$folder/out" 2>&1 || code=$?
  if ((code == 0 || code == 124)) || ! grep -q 'rank 1 (process [0-9]* on .*) has ended' "$folder/out"; then
    echo "job $job ended with $code and did not name the rank that was killed:"
    cat "$folder/out"
    exit 1
  fi
done
if (($(ours) > before)); then
  echo "left in /dev/shm:"
  find /dev/shm -name '*lockstep*'
  exit 1
fi
