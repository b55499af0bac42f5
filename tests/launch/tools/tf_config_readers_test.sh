#!/usr/bin/env bash
# TensorFlow's readers of TF_CONFIG: the tests of python/lockstep_tf_config.py, and `lockstep cluster --reader`, which
# runs it and names what is missing if it cannot.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$LOCKSTEP_BUILD_DIR/lockstep
export PYTHONDONTWRITEBYTECODE=1
unset TF_CONFIG
command -v python3 >/dev/null || { echo "skipped: apt-get install python3" && exit 77; }

python3 "$here/tf_config_readers_test.py" "$program"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect CODE STDOUT STDERR ARGUMENT...: checks the exit code of lockstep cluster, its stdout (only the beginning if
# STDOUT ends with *), and a pattern for its stderr.
expect() {
  local code=$1 out=$2 err=$3 got=0 printed said
  shift 3
  timeout 60 "$program" cluster "$@" >"$folder/out" 2>"$folder/err" || got=$?
  printed=$(<"$folder/out") said=$(<"$folder/err")
  [[ $out != *'*' || $printed != "${out%\*}"* ]] || printed=$out
  # shellcheck disable=SC2053  # a pattern on purpose
  if [[ $got != "$code" || $printed != "$out" || $said != $err ]]; then
    printf '%s\n' "FAILED: lockstep cluster $*: code $got" "$(<"$folder/out")" "$said"
    failed=1
  fi
}

tf_config='{"cluster": {"chief": ["c:1"], "worker": ["w:1"]}, "task": {"type": "worker", "index": 0}}'
estimator='{"role":"worker","task_id":0,"is_chief":false,"num_workers":2,"num_ps":0,"id_in_cluster":1,"master":"grpc://w:1","cluster":{"chief":["c:1"],"worker":["w:1"]},"device_filters":["/job:ps","/job:worker/task:0"],"rank":null,"world_size":null,"warnings":[],"evaluation_master":"","model_dir":null,"service":null}'
contrib='{"role":null,"task_id":0,"is_chief":true,"num_workers":0,"num_ps":0,"id_in_cluster":null,"master":"","cluster":{},"device_filters":null,"rank":null,"world_size":null,"warnings":[],"environment":"local","starts_server_on_train":false,"model_dir":null}'
# shellcheck disable=SC2016  # no commands
unset_to_resolver='{"role":null,"task_id":null,"is_chief":false,"num_workers":{"error":{"type":"ValueError","message":"Unexpected `task_type` None"}},"num_ps":0,"id_in_cluster":{"error":{"type":"ValueError","message":"There is no id for task_type None"}},"master":"","cluster":{},"device_filters":null,"rank":null,"world_size":null,"warnings":[],"rpc_layer":null,"leader":""}'
TF_CONFIG=$tf_config expect 0 "$estimator" '' --reader=estimator
expect 0 "$estimator" '' --reader=estimator --tf_config "$tf_config" --format=json
TF_CONFIG=$tf_config expect 0 "$contrib" '' --reader=contrib --tf_config='{}'
expect 0 "$unset_to_resolver" '' --reader=resolver
expect 0 "${estimator/\"c:1\"/\"é\"}" '' --reader=estimator --tf_config="${tf_config/c:1/é}"

# A refusal is the reader's message and 78; the resolver still prints what it knows. Control characters are escaped.
expect 78 '' 'ValueError: If "cluster" is not set in TF_CONFIG, task index must be 0.' --reader=estimator --tf_config='{"task": {"index": 1}}'
expect 78 '' "AttributeError: 'list' object has no attribute 'get'" --reader=contrib --tf_config='[]'
TF_CONFIG='' expect 78 '' 'JSONDecodeError: *' --reader=estimator
expect 78 '' 'ValueError: \\x1b\[31m is not a valid task_type *' --reader=estimator --tf_config="${tf_config/\"worker\", \"index/\"\\u001b[31m\", \"index}"
expect 78 '{"role":"worker","task_id":null,"is_chief":{"error":{"type":"ValueError",*' \
  "ValueError: \`task_type\` 'worker' not found in cluster_spec." --reader=resolver --tf_config='{"task": {"type": "worker"}}'

# Missing programs and files are named, with the cure.
mkdir "$folder/bin" "$folder/lib"
ln -s "$(type -P timeout)" "$folder/bin"
PATH=$folder/bin expect 66 '' 'python3 cannot be started: No such file or directory; install Python 3.9 or newer *' --reader=estimator
printf '#!/bin/sh\necho "SyntaxError: old" >&2; exit 1\n' >"$folder/bin/python3"
chmod +x "$folder/bin/python3"
PATH=$folder/bin expect 70 '' '*/lockstep_tf_config.py has failed; it needs Python 3.9 or newer: SyntaxError: old' --reader=estimator
ln -s "$LOCKSTEP_BUILD_DIR"/lib/liblockstep.so.* "$folder/lib"
LD_LIBRARY_PATH=$folder/lib expect 66 '' "there is no lockstep_tf_config.py in $folder/python and *share/lockstep/python; install *" --reader=estimator
exit $failed
