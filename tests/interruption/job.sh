# Sourced by the tests of interruption, after ../launch/expect.sh: small training jobs that are interrupted, started
# again and compared with an undisturbed run.
# shellcheck shell=bash disable=SC2034,SC2054,SC2154  # variables of, and for, the tests that source this

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# The jobs use all state that decides how training continues: momentum, dropout, a moving average, shuffling over
# several epochs.
job_flags=(--model=mlp --hparams=hidden_size=32,dropout=0.1,optimizer=adam --global_batch_size=64 --ema=0.99
  --train_steps=900 --save_checkpoints_steps=40 --local_eval_frequency=0 --log_every=20)

# start_job RANKS FOLDER FLAG...: starts it in the background, in a session of its own; sets $started. Its output:
# $folder/err.
start_job() {
  local ranks=$1 output=$2
  shift 2
  : >"$folder/err" # so that wait_for does not find output of the job before
  # shellcheck disable=SC2046  # words on purpose
  setsid $(mpi "$ranks") "${program:-$(train)}" "${job_flags[@]}" --output_dir="$output" "$@" \
    >"$folder/out" 2>"$folder/err" </dev/null &
  started=$!
}

# Waits for mpirun's end; sets $code.
end_job() {
  code=0
  wait "$started" 2>/dev/null || code=$?
  no_sanitizer_report "a job that ended with $code"
  last_job=$started
  started=""
}

# Prints the living processes of a job: those of its session, without zombies.
processes_of() { ps -o pid=,stat= -s "$1" 2>/dev/null | awk '$2 !~ /^Z/ { print $1 }'; }

# Prints the process of a rank; nothing if there is none.
rank_process() {
  local process
  for process in $(processes_of "$started"); do
    if grep -qzx "OMPI_COMM_WORLD_RANK=$1" "/proc/$process/environ" 2>/dev/null; then echo "$process"; fi
  done
}

# wait_for PATTERN SECONDS: waits until the job has printed a matching line.
wait_for() {
  local tenths=$(($2 * 10))
  while ! grep -q "$1" "$folder/err" 2>/dev/null; do
    ((tenths-- > 0)) || return 1
    sleep 0.1
  done
}

# Waits until no process of a job is left; any that outlives its mpirun by more than 20 s is a failure.
wait_until_gone() {
  local tenths=200
  while [[ -n $(processes_of "$1") ]]; do
    if ((tenths-- == 0)); then
      complain "processes of the job are left: $(processes_of "$1" | tr '\n' ' ')"
      end_session "$1"
      return
    fi
    sleep 0.1
  done
}

# Prints the hash of the parameters at the end of the run in a folder.
hash_of() { sed -n 's/.*"kind": "end".*"parameters_sha256": "\([0-9a-f]*\)".*/\1/p' "$1/metrics.jsonl" 2>/dev/null; }

# Checks that each step with a train line has just one, in order.
steps_are_whole() {
  local steps
  steps=$(sed -n 's/.*"kind": "train", "step": \([0-9]*\),.*/\1/p' "$1/metrics.jsonl")
  [[ $steps == "$(seq 20 20 "$2")" ]]
}

# finish_job WHAT RANKS FOLDER EXPECTED_HASH FLAG...: runs the job to its end, and checks the result.
finish_job() {
  local what=$1 ranks=$2 output=$3 expected=$4
  shift 4
  start_job "$ranks" "$output" "$@"
  end_job
  [[ $code == 0 ]] || complain "$what: the restarted job ended with $code"
  [[ $(hash_of "$output") == "$expected" ]] || complain "$what: other parameters than those of the uninterrupted run"
  steps_are_whole "$output" 900 || complain "$what: metrics.jsonl does not have each step once"
}

milliseconds() { date +%s%3N; }
