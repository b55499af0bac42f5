#!/bin/bash
# A disk fills up while three ranks train: all end with 74 in seconds, nothing damaged is left, and with space again the
# run resumes and reaches the uninterrupted run's parameters. A disk that is read-only from the start: 74 as well. Needs
# a mount namespace of its own, for a small tmpfs: if that is not allowed the test counts as skipped.
set -uo pipefail
if [[ -z ${LOCKSTEP_OWN_MOUNTS:-} ]]; then
  # shellcheck source=tests/launch/own_mounts.sh
  source "$(dirname "$0")/../launch/own_mounts.sh"
  ((${#own_mounts[@]} > 0)) || { echo "no mount namespaces here: skipped" && exit 77; }
  LOCKSTEP_OWN_MOUNTS=1 exec "${own_mounts[@]}" bash "$0" "$@"
fi
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../launch/expect.sh"
# shellcheck source=tests/interruption/job.sh
source "$(dirname "$0")/job.sh"
slow=25
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=60

start_job 3 "$folder/reference"
end_job
expected=$(hash_of "$folder/reference")
disk="$folder/disk"
mkdir "$disk"
mount -t tmpfs -o size=4m tmpfs "$disk" || exit 77

# struck WHAT: checks that the job has ended as it should, with one message that says what to do.
struck() {
  [[ $code == 74 ]] || complain "$1: exit code $code, expected 74"
  [[ $(grep -c ' E\] .*cannot write' "$folder/err") == 1 ]] || complain "$1: not one message"
  wait_until_gone "$last_job"
}

# A checkpoint takes 0.4 MB here: with this ballast the sixth or so does not fit.
fallocate -l 1500k "$disk/ballast"
begin=$SECONDS
start_job 3 "$disk/run" --keep_checkpoint_max=0
end_job
((SECONDS - begin <= slow + 10)) || complain "a full disk: took $((SECONDS - begin)) s"
struck "a full disk"
grep -q 'No space left' "$folder/err" || complain "a full disk: the reason is not told"
grep -q 'saved step' "$folder/err" || complain "a full disk: nothing had been saved, the test shows nothing"
cure=$(grep -o -e '--keep_checkpoint_max=[0-9]*, which frees [0-9.]* MB' "$folder/err" | grep -o -e '^[^,]*')
[[ -n $cure ]] || complain "a full disk: no cure is named"
# The flag takes effect before the first step. A fast machine has trained to the end in less than a second.
start_job 3 "$disk/run" "$cure" --stop_after=1s
end_job
[[ $code == 75 || $code == 0 ]] || complain "a full disk, with $cure: ended with $code"
grep -q 'removed [0-9]* older checkpoints\?, to make room' "$folder/err" || complain "$cure removes nothing"
grep -q 'resumed from' "$folder/err" || complain "a full disk, with $cure: the restart did not resume"
rm "$disk/ballast"
finish_job "room again" 3 "$disk/run" "$expected" --keep_checkpoint_max=2

# Not even one checkpoint fits: reported before the training, not after it.
fallocate -l "$(df --output=avail -B1 "$disk" | tail -n 1)" "$disk/ballast"
truncate -s -300K "$disk/ballast"
# shellcheck disable=SC2046  # words on purpose
expect 74 $slow "*r0/3 E*cannot write checkpoints of 0.4 MB*make room*" $(mpi 3) "$(train)" "${job_flags[@]}" \
  --output_dir="$disk/other"
grep -q 'the first step' "$folder/err" && complain "no room for a checkpoint: found only after training"
rm "$disk/ballast"

# The disk is read-only from the start.
mount -o remount,ro "$disk"
# shellcheck disable=SC2046  # words on purpose
expect 74 $slow "*r0/3 E*cannot *" $(mpi 3) "$(train)" "${job_flags[@]}" --output_dir="$disk/other"
# shellcheck disable=SC2046
expect 74 $slow "*r0/3 E*cannot *" $(mpi 3) "$(train)" "${job_flags[@]}" --output_dir=/proc/none
umount "$disk"
exit $failed
