#!/bin/bash
# The tables of docs/strategies.md: every strategy with every flag and schedule, and with the checkpoints of the others.
# Each cell is run, or ends with the code and the names that it has. Two lanes share the rows.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"

train="$(train)"
page="$(dirname "$0")/../../docs/strategies.md"
runs="$folder" # of both lanes
slow=40
flags=(--model=mlp --local_eval_frequency=0 --log_every=0
  '--hparams=num_hidden_layers=1,hidden_size=8,batch_size=8,optimizer=adam,learning_rate_schedule=constant')

# Prints a line for each cell of the tables whose first column is named "flags": row, column and cell.
cells() {
  awk -F' *[|] *' '
    $2 == "flags" { for (i = 3; i < NF; i++) column[i] = $i; inside = 1; next }
    !/^[|]/ { inside = 0 }
    inside && $2 ~ /^`--/ { for (i = 3; i < NF; i++) print $2 "\t" column[i] "\t" $i }' "$page" | tr -d '`'
}

# What runs the cells of GPUs: train where it sees one, else the program with fake ones, where that is built.
gpu=""
if "$train" "${flags[@]}" --device=cuda --train_steps=1 --eval_steps=1 >"$folder/err" 2>&1 </dev/null; then
  gpu=cuda
elif [[ -x $(fake_train) ]]; then
  gpu=fake
fi

# lacking COLUMN: prints why this machine cannot run a cell; nothing if it can.
lacking() {
  if [[ $1 == *--device=cuda* && -z $gpu ]]; then echo "no GPU here"; fi
  if [[ $1 == *--precision=bfloat16* ]] && ! grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo; then echo "no bfloat16 in this processor"; fi
}

# saved ROW: prints the folder of the run that the column --schedule=train has made.
saved() { echo "$runs/${1//[^a-z_]/}"; }

# job CODE PATTERN RANKS FLAGS...: expects the end of a job; that of one rank needs no mpirun.
job() {
  local start=()
  if (($3 > 1)); then read -ra start <<<"$(mpi "$3")"; fi
  expect "$1" $slow "$2" "${start[@]}" "$program" "${flags[@]}" "${@:4}"
}

# runs_as COLUMN RANKS FOLDER FLAGS...: the job does what the column says.
runs_as() {
  job 0 '*:*' "$2" "${@:4}"
  case $1 in
    --schedule=test) ;;
    --schedule=evaluate) grep -q '"kind": "eval"' "$folder/out" || complain "$*: no result" ;;
    --schedule=predict) [[ -s $3/predictions.csv ]] || complain "$*: no predictions" ;;
    --schedule=continuous_eval) grep -q '"kind": "eval"' "$3/eval/metrics.jsonl" || complain "$*: no result" ;;
    *) [[ -n $(parameters_of "$3") ]] || complain "$*: no digest of the parameters" ;;
  esac
  [[ $1 != *--device=* ]] || says "rank 0  chief  .*  $gpu:0"
}

# Ranks of a job that does not train, with these flags: one, unless another one is asked to be a server.
fewest() { if [[ "$*" == *--ps_replicas=* ]]; then echo 3; else echo 1; fi; }

# names FLAGS: prints an expression of grep -E for an error with one of the flags.
names() { echo " E\] .*($(grep -oE -- '--[a-z_]+' <<<"$1" | paste -sd '|'))"; }

# try ROW COLUMN CELL: a cell of the tables of flags and schedules.
try() {
  local row=$1 column=$2 ranks=3 out="$folder/run" more=(--train_steps=4 --eval_steps=1) flags=("${flags[@]}")
  program=$train
  if [[ $column == *--device=cuda* && $gpu == fake ]]; then
    program="$(fake_train)"
    column=${column/cuda/fake}
  fi
  if [[ $row == *--ps_apply=accumulate* ]]; then flags=("${flags[@]/optimizer=adam/optimizer=sgd}"); fi
  if [[ $column == *--cuda_graph* ]]; then ranks=1; fi # more of them need NCCL
  case $column in
    --schedule=train) out="$(saved "$row")" ;;
    --schedule=test) out="" ;;
    --schedule=evaluate | --schedule=continuous_eval) out="$(saved "$row")" more=(--eval_steps=1) ranks=$(fewest "$row") ;;
    --schedule=predict) out="$(saved "$row")" more=() ranks=$(fewest "$row") ;;
    *) rm -rf "$out" ;;
  esac
  # shellcheck disable=SC2206
  more+=($row $column)
  if [[ -n $out ]]; then more+=("--output_dir=$out"); fi
  if [[ "$row $column" == *--exact* ]]; then more+=(--global_batch_size=24); fi
  if [[ $3 == yes ]]; then
    runs_as "$column" "$ranks" "$out" "${more[@]}"
  else
    job "$3" '* E\] *' "$(fewest "$row")" "${more[@]}"
    says "$(names "$row")"
    says "$(names "$column")"
  fi
}

# resume ROW COLUMN CELL: a cell of the table of checkpoints, on another number of ranks that train.
resume() {
  local ranks=2 out="$folder/resumed" more=(--schedule=train --train_steps=6)
  program=$train
  if [[ $2 == *--ps_replicas=* ]]; then ranks=3; fi
  rm -rf "$out"
  cp -r "$(saved "$1")" "$out"
  # shellcheck disable=SC2206
  more+=($2 "--output_dir=$out")
  if [[ $3 != yes ]]; then
    job 78 "*, add --allow_changes=$3" "$(fewest "$2")" "${more[@]}"
    more+=("--allow_changes=$3")
  fi
  runs_as "$2" "$ranks" "$out" "${more[@]}"
}

# lane NUMBER: every other row of the cells that it reads.
lane() {
  # shellcheck source=tests/launch/expect.sh
  source "$(dirname "$0")/expect.sh" # a folder of its own
  local row column cell why last="" number=0
  while IFS=$'\t' read -r row column cell; do
    [[ $row == "$last" ]] || number=$((number + 1))
    last=$row
    if ((number % 2 != $1)) || [[ $cell == - ]]; then continue; fi
    why=$(lacking "$column")
    if [[ -n $why ]]; then
      echo "not shown: $row, $column: $why"
    elif [[ $column == --strategy=* ]]; then
      resume "$row" "$column" "$cell"
    else
      try "$row" "$column" "$cell"
    fi
    echo "$row, $column: $cell${why:+, not shown}" >>"$runs/tried"
  done
  exit "$failed"
}

# lanes CONDITION: tries the cells whose columns it holds for, an expression of awk. Both lanes go at the same time.
lanes() {
  local first second
  cells | awk -F'\t' "$1" >"$runs/cells"
  (lane 0 <"$runs/cells") &
  first=$!
  (lane 1 <"$runs/cells") &
  second=$!
  wait $first || failed=1
  wait $second || failed=1
}

# shellcheck disable=SC2016  # $2 is awk's
lanes '$2 !~ /^--strategy=/'
# shellcheck disable=SC2016
lanes '$2 ~ /^--strategy=/' # they resume what the others have saved
total=$(wc -l <"$runs/tried")
skipped=$(grep -c ', not shown$' "$runs/tried")
echo "$total cells, of which $skipped are not shown; those of GPUs on: ${gpu:-none}"
((total > 90)) || { echo "FAILED: only $total cells in $page" && failed=1; }
exit "$failed"
