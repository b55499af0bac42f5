#!/bin/bash
# mpirun accepts the output of `lockstep cluster`, and in its jobs each process learns its own place. Runs on one
# machine, under its own name.
set -euo pipefail

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PATH="$LOCKSTEP_BUILD_DIR:$PATH"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$folder"
failed=0
complain() {
  echo "FAILED: $*"
  failed=1
}

# A stand-in for train: prints its rank and the number of ranks.
mkdir build
cat >build/train <<'END'
#!/bin/sh
echo "$OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE: $*"
END
chmod +x build/train

# starts RANKS FLAGS COMMAND...: checks that the command starts RANKS processes of the stand-in, with these flags.
starts() {
  local ranks=$1 flags=$2 expected said
  shift 2
  expected=$(for ((i = 0; i < ranks; i++)); do echo "$i of $ranks: $flags"; done)
  said=$(timeout 60 "$@" 2>"$folder/err" | sort -n) || true
  [[ $said == "$expected" ]] || complain "$*: $said; $(head -n 20 "$folder/err"); expected $expected"
}

host=$(hostname)
TF_CONFIG='{"cluster": {"chief": ["HOST:2222"], "worker": ["HOST:2223", "HOST:2224"], "evaluator": ["HOST:2225"]}}'
export TF_CONFIG=${TF_CONFIG//HOST/$host}
lockstep cluster --format=hostfile >hostfile
starts 4 "" mpirun -np 4 --hostfile hostfile --bind-to none build/train
lockstep cluster --format=appfile --worker_gpu=1 >appfile
starts 4 --worker_gpu=1 mpirun --bind-to none --app appfile
lockstep cluster --format=mpirun >commands
starts 4 "" bash commands
line=$(lockstep cluster --format=mpirun --output="$folder/my hosts")
starts 4 "" bash -c "$line"
# It replaces a file of hosts, and no other file.
refuses() { # CODE PATH
  local code=0
  lockstep translate --format=mpirun --output="$2" >/dev/null 2>err || code=$?
  [[ $code == "$1" ]] || complain "--output=$2: exit code $code, expected $1: $(<err)"
}
refuses 0 "$folder/my hosts"
echo precious >notes.txt
refuses 78 notes.txt
[[ $(<notes.txt) == precious ]] || complain "notes.txt is replaced"
ln -s /dev/null null
refuses 64 null
[[ -L null ]] || complain "a link to a device is replaced"
# One rank per line, the form for ranks that alternate between hosts.
printf '%s\n' "# in order" "$host" "$host" "$host" >sequence
starts 3 "" mpirun -np 3 --hostfile sequence --map-by seq --bind-to none build/train
# A rankfile binds each rank to a core; for one rank there is always a core.
lockstep cluster --format=rankfile --tf_config="{\"cluster\": {\"chief\": [\"$host:1\"]}}" >rankfile
starts 1 "" mpirun -np 1 --rankfile rankfile build/train
unset TF_CONFIG

echo "$host slots=3" >three
starts 3 "" bash -c "$(lockstep cluster --hostfile=three --format=mpirun)"

# The printed line trains on all ranks, however the cluster was described, in the shell in which it was made, even an
# evaluator's.
mkdir real
ln -s "$LOCKSTEP_BUILD_DIR" real/build
# trains VARIABLES... -- FLAGS OF TRANSLATE...: checks the line on three ranks.
trains() {
  local variables=() line said
  while [[ $1 != -- ]]; do
    variables+=("$1")
    shift
  done
  line=$(env "${variables[@]}" lockstep cluster --format=mpirun --output="$folder/hosts" "${@:2}" 2>"$folder/err") || true
  said=$(cd real && timeout 60 env "${variables[@]}" bash -c "$line --model=linear --train_steps=2" 2>&1) || true
  [[ $said == *' 3 ranks x '*'trained 2 steps'* ]] || complain "$line: $said; $(<"$folder/err")"
}
cluster="\"cluster\": {\"chief\": [\"$host:1\"], \"worker\": [\"$host:2\", \"$host:3\"]}"
evaluator='"task": {"type": "evaluator", "index": 0}'
hosts="$host:1,$host:2,$host:3"
trains "TF_CONFIG={$cluster}" --
trains "TF_CONFIG={$cluster, $evaluator}" --
trains -- --tf_config="{$cluster}"
trains "PS_CONFIG=$(base64 -w 0 <<<"{$cluster}" | tr '+/' '-_')" --
trains "WORKER_HOSTS=$hosts" TYPE=worker INDEX=1 --
trains "WORKER_HOSTS=$hosts" TYPE=evaluator INDEX=0 --
trains -- --worker_hosts="$hosts"
# A job script sets variables that are not set at submission; until_finished is a stand-in here.
mkdir -p lockstep/scripts/slurm
printf '%s\n' '#!/bin/sh' 'printenv TF_CONFIG' >lockstep/scripts/slurm/until_finished
chmod +x lockstep/scripts/slurm/until_finished
lockstep cluster --tf_config="{$cluster}" --format=sbatch >script
said=$(HOME=$folder SLURM_JOB_NAME=train bash script)
[[ $said == "{$cluster, \"task\": {\"type\": \"chief\", \"index\": 0}}" ]] || complain "sbatch: TF_CONFIG is '$said'"

# Within a job, with mpirun's variables alone.
mpirun=(timeout 60 mpirun -np 3 --oversubscribe --bind-to none)
said=$("${mpirun[@]}" lockstep cluster --format=torchrun | sort)
expected=$(for i in 0 1 2; do
  echo "RANK=$i WORLD_SIZE=3 LOCAL_RANK=$i LOCAL_WORLD_SIZE=3 MASTER_ADDR=$host MASTER_PORT=29500"
done)
[[ $said == "$expected" ]] || complain "torchrun's variables within mpirun: $said"
# shellcheck disable=SC2016  # for the shells of the ranks
said=$("${mpirun[@]}" bash -c 'export $(lockstep cluster --format=torchrun) && echo "$RANK of $WORLD_SIZE"' | sort)
[[ $said == "0 of 3"$'\n'"1 of 3"$'\n'"2 of 3" ]] || complain "torchrun's variables, exported: $said"
said=$("${mpirun[@]}" lockstep cluster --format=tf_config | sed 's/.*"task"/"task"/' | sort)
[[ $said == '"task": {"type": "chief", "index": 0}}'$'\n'*'"worker", "index": 0}}'$'\n'*'"worker", "index": 1}}' ]] ||
  complain "TF_CONFIG within mpirun: $said"

# bash can parse the scripts, and their paths exist.
for format in sbatch qsub; do
  lockstep cluster --hostfile=three --format=$format >script
  bash -n script || complain "$format: no script"
done
lockstep cluster --hostfile=three --format=sbatch | grep -F 'scripts/slurm/until_finished' >script || complain "sbatch"
[[ -x $here/../../../scripts/slurm/until_finished ]] || complain "scripts/slurm/until_finished"

# A cluster of 4096 tasks: the line stays a line, the hosts are in the file.
workers=$(seq -f '"n%g:2222"' -s , 1 4095)
big="{\"cluster\": {\"chief\": [\"n0:2222\"], \"worker\": [$workers]}}"
line=$(TF_CONFIG=$big lockstep cluster --format=mpirun --output=big)
[[ $line == 'mpirun -np 4096 --hostfile big --bind-to none -x TF_CONFIG build/train' ]] || complain "4096 tasks: $line"
[[ $(wc -l <big) == 4096 ]] || complain "4096 tasks: $(wc -l <big) lines"
exit "$failed"
