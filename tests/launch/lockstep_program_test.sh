#!/bin/bash
# Runs the `lockstep` program as users do: checks its output on both streams and its exit codes.
set -euo pipefail

program="$LOCKSTEP_BUILD_DIR/lockstep"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
failed=0

# expect CODE STDOUT STDERR ARGUMENT...: checks the exit code, and patterns that match all of stdout and of stderr.
expect() {
  local code=$1 out=$2 err=$3 got=0
  shift 3
  "$program" "$@" >"$folder/out" 2>"$folder/err" || got=$?
  # shellcheck disable=SC2053  # the right-hand sides are patterns
  if [[ $got != "$code" || "$(cat "$folder/out")" != $out || "$(cat "$folder/err")" != $err ]]; then
    echo "FAILED: lockstep $*: exit code $got, expected $code"
    echo "stdout: $(cat "$folder/out")"
    echo "stderr: $(cat "$folder/err")"
    failed=1
  fi
}

expect 0 'lockstep: tools for use beside train, by subcommand*  cluster *Exit codes*' '' --help
expect 0 'lockstep [0-9]*.[0-9]*devices:*communicators:*' '' --version
expect 64 '' 'lockstep needs a subcommand;*'
expect 64 '' "lockstep has no subcommand 'clutser' (did you mean 'cluster'?);*" clutser
expect 64 '' "lockstep has no subcommand 'generate': there is no generation of text yet; --schedule=predict *" generate
expect 64 '' "lockstep has no subcommand 'evaluate': it is a schedule of train: train --schedule=evaluate" evaluate --data_dir=x
expect 64 '' "lockstep has no subcommand 'train': training is a program of its own: train" train
# translate is the old name of cluster, and sounds like a command for texts.
expect 0 'lockstep cluster:*Exit codes*' '' translate --help
expect 0 '{"a":2}' '' translate '--hparams_base={"a":1}' --hparams=a=2
expect 64 '' 'Unknown hyperparameter type for x' translate '--hparams_base={"aaa":1}' --hparams=x=1
texts='lockstep cluster, which was called translate, describes clusters; there is no command to translate text yet'
expect 64 '' "unknown flag --data: $texts" translate --data=deu.txt
expect 64 '' "unknown flag --data_dir: it is train's, *; $texts" translate --data_dir=texts
expect 64 '' "'deu.txt' belongs to no flag: $texts" translate deu.txt
expect 64 '' "unknown flag --explian (did you mean --explain?);*" translate --explian
expect 64 '' "$texts. lockstep cluster needs --explain *" translate
expect 64 '' "lockstep has no subcommand '--hepl';*" --hepl
expect 0 'lockstep cluster:*Exit codes*' '' cluster --help
expect 0 'lockstep inspect:*Exit codes*' '' inspect --help
expect 0 'lockstep average-checkpoints:*Exit codes*' '' average-checkpoints --help
expect 0 '{"aaa":12,"b":2.0}' '' cluster '--hparams_base={"aaa":1,"b":2.0}' --hparams=aaa=12
expect 64 '' 'Unknown hyperparameter type for x' cluster '--hparams_base={"aaa":1}' --hparams=x=1
expect 0 '\["n9","n10"\]' '' cluster --hostlist='n[9-10]'
expect 0 '\[2,2,1\]' '' cluster --tasks_per_node='2(x2),1'
expect 64 '' 'Invalid hostlist format "n\[1-1000000000\]": it stands for more than *' cluster --hostlist='n[1-1000000000]'
expect 0 '{"role":"worker","task_id":0,"is_chief":true,*"rank":0,"world_size":1,*' '' cluster --reader=lockstep --tf_config='{}'
expect 78 '' '--tf_config: cluster.worker\[1\]: *' cluster --reader=lockstep --tf_config='{"cluster": {"worker": ["a:1", 2]}}'
expect 0 'a slots=2' 'warning: worker 0 (a:1) is the chief*' cluster --format=hostfile --worker_hosts=a:1 --worker_gpu=2
expect 78 '' 'nothing says where the ranks are: *TF_CONFIG*' cluster --explain
expect 0 'lockstep make-tf-configs:*Exit codes*' '' make-tf-configs --help
expect 0 "Assuming SYNC *'{\"cluster\"*" "warning: --ps, address 1: 'b' has no port*" make-tf-configs --masters=a:1 --ps=b
expect 78 '' "--ps, address 1: 'b' has no port*" make-tf-configs --masters=a:1 --ps=b --strict
expect 64 '' 'Must provide --masters and --ps' make-tf-configs --masters=a:1
expect 64 '' "--hparams_base: 'a' stands in it twice*" cluster '--hparams_base={"a":1,"a":2}'

# The table of exit codes in docs/launching.md equals that of the help.
launching="$(dirname "${BASH_SOURCE[0]}")/../../docs/launching.md"
if ! diff <("$program" --help | sed -n 's/^  *\([0-9][0-9]*\)  \(.*\)/| \1 | \2 |/p') \
  <(sed -n '/^| code | when |$/,/^$/p' "$launching" | grep '^| [0-9]* |'); then
  echo "FAILED: docs/launching.md has other exit codes than lockstep --help"
  failed=1
fi

# If a result cannot be written, the program fails.
code=0
"$program" --help >/dev/full 2>"$folder/err" || code=$?
if [[ $code != 74 ]]; then
  echo "FAILED: lockstep --help on a full disk: exit code $code, expected 74"
  failed=1
fi
# It also fails if its output is not read: writing to a pipe without a reader must not end in a signal.
mkfifo "$folder/pipe"
exec 3<>"$folder/pipe"
exec 4>"$folder/pipe"
exec 3<&-
code=0
"$program" --help >&4 2>"$folder/err" || code=$?
exec 4>&-
if [[ $code != 74 || "$(cat "$folder/err")" != *'Broken pipe' ]]; then
  echo "FAILED: lockstep --help into a closed pipe: exit code $code, expected 74: $(cat "$folder/err")"
  failed=1
fi
exit "$failed"
