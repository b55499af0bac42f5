# Sourced by the program tests: runs a command and checks how it ended. Needs LOCKSTEP_BUILD_DIR.
# shellcheck shell=bash disable=SC2034  # the test that sources this ends with $failed

folder="$(mktemp -d)"
started=""  # the process under test, while it runs
failed=0

# A job is a session: mpirun gives each rank a process group of its own. We wait here, where bash's note that a
# background job was killed is discarded.
end_session() { { pkill -KILL -s "$1" && wait "$1"; } 2>/dev/null; }

clean_up() {
  if [[ -n $started ]]; then end_session "$started"; fi
  rm -rf "$folder"
}
trap clean_up EXIT

train() { echo "$LOCKSTEP_BUILD_DIR/train"; }
faulty_train() { echo "$LOCKSTEP_BUILD_DIR/tests/faulty_train"; }
fake_train() { echo "$LOCKSTEP_BUILD_DIR/tests/fake_train"; }
mpi() { echo "${LOCKSTEP_MPIRUN:-mpirun} --oversubscribe --bind-to none -np $1"; }

complain() {
  echo "FAILED: $1"
  sed 's/^/  | /' "$folder/err" | tail -n 40
  failed=1
}

# SEEN="$folder/err" expect ... $(mpi N) bash -c "$signal_rank" RANK SIGNAL PATTERN SECONDS COMMAND...: runs COMMAND on each
# rank. The process with this number of mpirun's gets the signal SECONDS after the log has a line like PATTERN.
# shellcheck disable=SC2016  # all of it is the inner shell's
signal_rank='if [[ $OMPI_COMM_WORLD_RANK = "$0" ]]; then
  (until grep -q "$2" "$SEEN"; do sleep 0.05; done; sleep "$3"; kill "-$1" $$) &
fi; exec "${@:4}"'

# says PATTERN, never_says PATTERN: checks the output of the last command with an expression of grep -E.
says() { grep -qE -- "$1" "$folder/err" || complain "no line like '$1'"; }
never_says() { ! grep -qE -- "$1" "$folder/err" || complain "a line like '$1'"; }

# parameters_of FOLDER: prints the digest of the parameters at the end of a run.
parameters_of() { sed -n 's/.*"kind": "end".*"parameters_sha256": "\([0-9a-f]*\)".*/\1/p' "$1/metrics.jsonl" | tail -n 1; }

# expect CODE SECONDS PATTERN COMMAND...: checks that the command ends within SECONDS with CODE, and that exactly one
# line of its standard error matches the pattern (of bash); a leading '*:' allows any count above 0. No process of it
# remains.
expect() {
  local code=$1 seconds=$2 pattern=$3 got=0 begin lines
  shift 3
  begin=$SECONDS
  setsid timeout -k 15 "$((seconds + 20))" "$@" >"$folder/out" 2>"$folder/err" </dev/null &
  started=$!
  wait "$started" || got=$?
  end_session "$started"
  started=""
  check_end "$code" "$seconds" "$pattern" "$got" "$((SECONDS - begin))" "$*"
}

# Some reports of sanitizers do not change the exit code.
no_sanitizer_report() {
  ! grep -qE 'ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:' "$folder/err" || complain "$1: a sanitizer's report"
}

check_end() {
  local code=$1 seconds=$2 pattern=$3 got=$4 took=$5 what=$6 lines=0 line
  [[ $got == "$code" ]] || complain "$what: exit code $got, expected $code"
  ((took <= seconds)) || complain "$what: took $took s, allowed $seconds"
  no_sanitizer_report "$what"
  while IFS= read -r line; do
    # shellcheck disable=SC2053  # a pattern on purpose
    if [[ $line == ${pattern#\*:} ]]; then lines=$((lines + 1)); fi
  done <"$folder/err"
  if [[ $pattern == '*:'* ]]; then
    ((lines > 0)) || complain "$what: no line like '${pattern#\*:}'"
  else
    ((lines == 1)) || complain "$what: $lines lines like '$pattern', expected one"
  fi
}
