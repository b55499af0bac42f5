#!/bin/bash
# Refusals of a resumed run: one message, the right code, on all ranks, in seconds, and nothing in the folder changes.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/../launch/expect.sh"
# shellcheck source=tests/interruption/job.sh
source "$(dirname "$0")/job.sh"
slow=20
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=60
job_flags=(--model=mlp --hparams=hidden_size=32 --global_batch_size=64 --save_checkpoints_steps=20 --log_every=20)
run="$folder/run"
here() { (cd "$run" && find . -type f ! -path './log/*' | sort | xargs sha256sum); }

start_job 2 "$run" --train_steps=50
end_job
[[ $code == 0 ]] || complain "the first run ended with $code"
before=$(here)

# refused CODE PATTERN FLAG...: checks the refusal on one rank and on three.
refused() {
  local code=$1 pattern=$2 start
  shift 2
  for start in "" "$(mpi 3)"; do
    # shellcheck disable=SC2086  # words on purpose
    expect "$code" $slow "$pattern" $start "$(train)" --output_dir="$run" "$@"
  done
  [[ $(here) == "$before" ]] || complain "refused, but the folder was changed: $*"
}
same=("${job_flags[@]}" --train_steps=60)

# Flags that change the result, each with both values.
refused 78 "*random_seed*'1'*'2'*" "${same[@]}" --random_seed=2
refused 78 "*hidden_size*'32'*'48'*" --model=mlp --hparams=hidden_size=48 --global_batch_size=64 --train_steps=60
refused 78 "*model*'mlp'*'linear'*" --model=linear --global_batch_size=64 --train_steps=60
! grep -q -e --allow_changes "$folder/err" || complain "another model: --allow_changes is offered, and would not help"
refused 78 "*global_batch_size*'64'*'65'*" --model=mlp --hparams=hidden_size=32 --global_batch_size=65 --train_steps=60
refused 64 "*allow_changes*hidden_sizes*hidden_size*" "${same[@]}" --allow_changes=hidden_sizes
refused 78 "*model.ckpt-50.h5*another model*" --model=mlp --hparams=hidden_size=48 --global_batch_size=64 \
  --train_steps=60 --allow_changes=hidden_size
expect 64 $slow "*--allow_changes=foo: nothing of a run has the name 'foo'*" "$(train)" --model=linear --train_steps=1 \
  --output_dir="$folder/fresh" --allow_changes=foo

# Damaged files.
flip() { printf '\125' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
cp "$run/model.ckpt-50.h5" "$folder/whole"
flip "$run/model.ckpt-50.h5" 3000
before=$(here)
refused 65 "*model.ckpt-50.h5*--resume=previous*" "${same[@]}"
truncate -s 3000 "$run/model.ckpt-50.h5"
before=$(here)
refused 65 "*model.ckpt-50.h5*--resume=previous*" "${same[@]}"
cp "$folder/whole" "$run/model.ckpt-50.h5"
cp "$run/checkpoint.json" "$folder/index"
echo '{"newest": 3' >"$run/checkpoint.json"
before=$(here)
refused 65 "*checkpoint.json*" "${same[@]}"
cp "$folder/index" "$run/checkpoint.json"
before=$(here)

# Places that cannot be written to.
for place in gs://bucket/run s3://bucket/run hdfs://host/run; do
  # shellcheck disable=SC2046
  expect 78 $slow "*$place*mount*" $(mpi 2) "$(train)" "${same[@]}" --output_dir=$place
done

# config.json, and files like it.
# shellcheck disable=SC2046
{
  expect 66 $slow "*none.json*" $(mpi 2) "$(train)" --config="$folder/none.json"
  echo '{"train_stepz": 3}' >"$folder/config.json"
  expect 64 $slow "*config.json*train_stepz*train_steps*" $(mpi 2) "$(train)" --config="$folder/config.json"
  echo '{"train_steps": "many"}' >"$folder/config.json"
  expect 64 $slow "*config.json*train_steps*many*" $(mpi 2) "$(train)" --config="$folder/config.json"
  echo '{"train_steps": 3' >"$folder/config.json"
  expect 64 $slow "*config.json*" $(mpi 2) "$(train)" --config="$folder/config.json"
  expect 64 $slow "*save_checkpoints_steps*output_dir*" $(mpi 2) "$(train)" --save_checkpoints_steps=10
  # The config.json that a run wrote repeats it.
  expect 0 $slow "*trained 50 steps*" $(mpi 2) "$(train)" --config="$run/config.json" --output_dir="$folder/repeated"
}
[[ $(hash_of "$folder/repeated") == "$(hash_of "$run")" ]] || complain "--config: other parameters than the run it is of"
exit $failed
