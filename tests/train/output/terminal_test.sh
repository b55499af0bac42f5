#!/bin/bash
# The display while train runs, on a terminal (made by script(1)) and without: a bar that is erased before every line
# and at the end, colours that can be switched off, and no control character without a terminal.
set -u  # without pipefail: grep -q ends before the program that writes to it
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../../launch/expect.sh"

escape=$'\e'
# With an output_dir, since a warning would be shown without one.
small=(--model=mlp --hparams=hidden_size=32 --train_steps=300 --local_eval_frequency=100 --output_dir="$folder/run")

# on_terminal [NAME=VALUE...] COMMAND...: writes its output on a terminal of 100 columns, as bytes, to $folder/err. -e:
# script returns the command's exit code.
on_terminal() {
  rm -rf "$folder/run"
  TERM=xterm timeout -k 5 60 script -qec "stty cols 100; env $*" /dev/null </dev/null >"$folder/err" 2>&1 ||
    complain "$*: exit code $?"
}
# Searches bars: text written from the beginning of a line on and erased later.
shown_once() { grep -oP '\r(?!\e)[^\r\n]*\e\[J' "$folder/err" | grep -qF -- "$1"; }
seen() { grep -qF -- "$1" "$folder/err"; }

# Prints what a terminal would show: a line break ends a line; after erasing from its beginning a line is empty.
shown() { sed "s/.*\\r$escape\\[J//; s/\\r\$//" "$folder/err"; }

# Checks for a bar that leaves nothing in the remaining lines.
check_bar() {
  local part
  for part in "/300 " "loss " "accuracy " "samples/s" " left"; do
    shown_once "$part" || complain "$1: no '$part' in a bar"
  done
  shown | grep -vqE '^\[ *[0-9.]+s r0/[0-9] [IW]\] ' && complain "$1: a line that is none of the log: $(shown | grep -vE '^\[ ')"
  [[ $(shown | grep -c 'trained 300 steps') == 1 ]] || complain "$1: no result"
  # Only colours, the return to the beginning of the line, and erasing from there are allowed.
  tr -d '\r\n' <"$folder/err" | sed "s/$escape\\[\\([0-9]*m\\|J\\)//g" | grep -qF "$escape" && complain "$1: other control characters"
  return 0
}

on_terminal LC_ALL=C.UTF-8 "$(train)" "${small[@]}"
check_bar "one rank"
seen $'\u2588' || complain "one rank: a bar without blocks"
seen "${escape}[32m" || complain "one rank: a bar without colour"

on_terminal LC_ALL=C "$(mpi 2)" "$(train)" "${small[@]}"
check_bar "two ranks"
shown_once '####' || complain "two ranks: a bar without '#'"

on_terminal NO_COLOR=1 LC_ALL=C "$(train)" "${small[@]}"
check_bar "NO_COLOR"
seen "${escape}[3" && complain "NO_COLOR: a colour"

# Only lines if mpirun tags them, on a dumb terminal, and with --quiet.
on_terminal "$(mpi 2)" --tag-output "$(train)" "${small[@]}"
seen "$escape" && complain "--tag-output: control characters"
on_terminal TERM=dumb "$(train)" "${small[@]}"
seen "$escape" && complain "TERM=dumb: control characters"
on_terminal "$(train)" "${small[@]}" --quiet
[[ $(grep -c '' "$folder/err") == 1 ]] || complain "--quiet: more than the result"
seen "$escape" && complain "--quiet: control characters"

# An error, here a step whose loss is not a number, begins on a line of its own, and the bar is gone.
fault="$(faulty_train) --model=mlp_faulty --hparams=fault=nan,fault_rank=0"
TERM=xterm timeout -k 5 60 script -qec "$fault" /dev/null </dev/null >"$folder/err" 2>&1
[[ $? == 70 ]] || complain "a loss that is no number: not exit code 70"
shown | grep -qE "^($escape\\[31m)?\\[ *[0-9.]+s r0/1 E\\] .* is not finite" || complain "the error does not begin its line"
tail -c 1 "$folder/err" | grep -q . && complain "the error does not end its line"

# Errors found before there is a log, of ranks and of the tools, do the same, and are as red.
check_red() { # COMMAND...
  TERM=xterm timeout -k 5 60 script -qec "$*" /dev/null </dev/null >"$folder/err" 2>&1
  [[ $? == 64 ]] || complain "$*: not exit code 64"
  [[ $(grep -c "^$escape\[31m.*(did you mean .*$escape\[0m"$'\r$' "$folder/err") == 1 ]] || complain "$*: no red message"
  TERM=xterm NO_COLOR=1 timeout -k 5 60 script -qec "$*" /dev/null </dev/null >"$folder/err" 2>&1
  seen "(did you mean " || complain "NO_COLOR, $*: no message"
  seen "$escape" && complain "NO_COLOR, $*: a colour"
  "$@" >"$folder/err" 2>&1 </dev/null
  seen "$escape" && complain "$*, without a terminal: control characters"
  return 0
}
check_red "$(train)" --modle=mlp
# shellcheck disable=SC2046  # words on purpose
check_red $(mpi 2) "$(train)" --modle=mlp
check_red "$LOCKSTEP_BUILD_DIR/lockstep" inspct
check_red "$LOCKSTEP_BUILD_DIR/lockstep" inspect --fromat=json

# Without a terminal.
rm -rf "$folder/run"
expect 0 60 "*trained 300 steps*" "$(train)" "${small[@]}"
grep -qE "$escape|"$'\r' "$folder/err" && complain "no terminal: control characters"
exit "$failed"
