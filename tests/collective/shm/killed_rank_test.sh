#!/usr/bin/env bash
# A rank is killed inside an all_reduce over shared memory: another one names it before mpirun ends them, and no process
# keeps the memory, which has no name in a file system.
#
#   killed_rank_test.sh [JOBS]
set -euo pipefail
jobs=${1-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints the processes of these jobs that have the memory, mapped or as an open file.
holders() {
  local process
  for process in /proc/[0-9]*; do
    grep -qszF "KILLED_RANK_TEST=$folder" "$process/environ" || continue
    if grep -qs 'memfd:lockstep-shm' "$process/maps" ||
      [[ -n $(find "$process/fd" -lname '*memfd:lockstep-shm*' 2>/dev/null) ]]; then
      echo "$process"
    fi
  done
}

for ((job = 1; job <= jobs; ++job)); do
  code=0
  KILLED_RANK_TEST=$folder timeout 60 "$LOCKSTEP_MPIRUN" --oversubscribe --bind-to none -np 3 \
    "$LOCKSTEP_BUILD_DIR/tests/test_collective" --mpi --no-skip \
    --test-case='a rank killed inside an all_reduce' > "$folder/out" 2>&1 || code=$?
  if ((code == 0 || code == 124)) || ! grep -q 'rank 1 (process [0-9]* on .*) has ended' "$folder/out"; then
    echo "job $job ended with $code and did not name the rank that was killed:"
    cat "$folder/out"
    exit 1
  fi
done
# mpirun may end before the last of them.
for ((try = 0; try < 100; ++try)); do
  [[ -n $(holders) ]] || exit 0
  sleep 0.1
done
echo "these processes keep the memory: $(holders)"
exit 1
