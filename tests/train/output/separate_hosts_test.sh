#!/bin/bash
# Hosts that do not share the --output_dir, as mount namespaces of one machine: ranks other than the chief see a disk of
# their own in its place, writable or read-only. Skipped if a process may not unshare.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../../launch/expect.sh"
# shellcheck source=tests/interruption/job.sh
source "$(dirname "$0")/../../interruption/job.sh"

if ! unshare --mount mount -t tmpfs none "$folder" 2>"$folder/why"; then
  echo "skipped: this user may not make mount namespaces: $(cat "$folder/why")"
  exit 77
fi
mkdir "$folder/disk" "$folder/seen"
flags=(--model=mlp --hparams=hidden_size=32 --global_batch_size=64 --save_checkpoints_steps=10)

# The program that mpirun starts: train, on ranks other than 0 with another disk in place of $folder/disk. $1: mount
# options.
cat >"$folder/host" <<'END'
#!/bin/bash
if [[ $OMPI_COMM_WORLD_RANK == 0 ]]; then exec "${@:2}"; fi
exec unshare --mount --propagation private bash -c '
  mount -t tmpfs -o "$1" none "$DISK" || exit 1
  "${@:2}"
  code=$?
  find "$DISK" -type f -printf "%P\n" | sort >"$SEEN/$OMPI_COMM_WORLD_RANK"
  exit $code' bash "$@"
END
chmod +x "$folder/host"
export DISK="$folder/disk" SEEN="$folder/seen"

# run MOUNT OUTPUT STEPS: trains on three ranks.
run() {
  code=0
  # shellcheck disable=SC2046  # words on purpose
  $(mpi 3) "$folder/host" "$1" "$(train)" "${flags[@]}" --output_dir="$2" --train_steps="$3" \
    >"$folder/out" 2>"$folder/err" || code=$?
  [[ $code == 0 ]] || complain "on disks mounted $1: ended with $code"
  [[ -f $2/checkpoint.json && -f $2/metrics.jsonl && -f $2/log/rank-0000.log ]] || complain "the chief's files are missing"
  [[ ! -e $2/log/rank-0001.log ]] || complain "the hosts share a folder: this test shows nothing"
}

run rw "$folder/disk/run" 20
for rank in 1 2; do
  [[ $(cat "$folder/seen/$rank") == "run/log/rank-000$rank.log" ]] || complain "rank $rank wrote $(cat "$folder/seen/$rank")"
done
# Prints warnings, except for the one about a machine with fewer cores than ranks.
warnings() { grep ' W\] ' "$folder/err" | grep -v ' ranks share '; }
[[ -z $(warnings) ]] || complain "a warning where every rank has its log"

# The second run resumes from a checkpoint that only the chief saved and sees.
run ro "$folder/disk/run" 30
[[ -f $folder/disk/run/model.ckpt-30.h5 ]] || complain "no checkpoint of step 30"
grep -q "model.ckpt-20.h5" "$folder/err" || complain "the second run did not resume"
[[ ! -s $folder/seen/1 && ! -s $folder/seen/2 ]] || complain "something was written to a disk mounted read-only"
[[ $(warnings | wc -l) == 1 ]] || complain "not one warning for a host"
grep -q "r0/3 W\] ranks 1, 2 on .* log to the standard error only: .*/run/log: Read-only file system" "$folder/err" ||
  complain "the warning does not name the ranks, the file and the reason"
exit "$failed"
