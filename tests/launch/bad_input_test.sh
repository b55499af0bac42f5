#!/bin/bash
# Common mistakes, really run: the code, one message for all ranks, within seconds.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
# shellcheck source=tests/launch/npy.sh
source "$(dirname "$0")/npy.sh"

train="$(train)"
slow=20
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=40

mkdir "$folder/cut_off" "$folder/objects"
zeros 23 | npy '|u1' '(8, 3)' >"$folder/cut_off/train_inputs.npy"
zeros 32 | npy '<i4' '(8,)' >"$folder/cut_off/train_targets.npy"
zeros 24 | npy '|u1' '(8, 3)' >"$folder/objects/train_inputs.npy"
zeros 64 | npy '|O' '(8,)' >"$folder/objects/train_targets.npy"
mkdir "$folder/channels_first" "$folder/here"
zeros 6144 | npy '|u1' '(8, 3, 16, 16)' >"$folder/channels_first/train_inputs.npy"
zeros 32 | npy '<i4' '(8,)' >"$folder/channels_first/train_targets.npy"
zeros 24 | npy '|u1' '(8, 3)' >"$folder/here/train_inputs.npy"
zeros 32 | npy '<i4' '(8,)' >"$folder/here/train_targets.npy"
cp -r "$folder/here" "$folder/there"
printf '\x01' | dd of="$folder/there/train_inputs.npy" bs=1 seek=140 conv=notrunc status=none

for start in "" "$(mpi 3)"; do
  # Flags: unknown, repeated, malformed, meaningless, with the nearest valid name.
  # shellcheck disable=SC2086  # $start is a command line
  {
    expect 64 $slow "*--lerning_rate*" $start "$train" --lerning_rate=1
    expect 64 $slow "*unknown flag --modle (did you mean --model?)*" $start "$train" --modle=mlp
    expect 64 $slow "*--log_every*" $start "$train" --log_every=10 --log-every=20
    expect 64 $slow "*--train_steps*1e3*" $start "$train" --train_steps=1e3
    expect 64 $slow "*--sync_every*" $start "$train" --sync_every=10
    expect 78 $slow "*--exact*" $start "$train" --exact --strategy=model_averaging --global_batch_size=8
    # Names and hparams.
    expect 64 $slow "*no problem 'image_shape'*image_shapes*" $start "$train" --problem=image_shape
    expect 64 $slow "*no model 'mlpp'*'mlp'*" $start "$train" --model=mlpp
    expect 64 $slow "*unknown hyperparameter 'lerning_rate'*'learning_rate'*" $start "$train" --hparams=lerning_rate=1
    expect 64 $slow "*Could not parse hparam 'batch_size'*" $start "$train" --hparams=batch_size=1.5
    expect 64 $slow "*--hparams: ',x' cannot be read; write *" $start "$train" --hparams=batch_size=1,,x
    expect 64 $slow "*--hparams: learning_rate is given no value; *" $start "$train" --hparams=learning_rate
    expect 64 $slow "*hidden_size is -3*" $start "$train" --hparams=hidden_size=-3
    expect 64 $slow "*no optimizer 'adamm'*'adam'*" $start "$train" --hparams=optimizer=adamm
    # Users' libraries.
    plugins="$LOCKSTEP_BUILD_DIR/tests/plugins"
    expect 66 $slow "*--usr_lib=libnone.so: cannot read*No such file*" $start "$train" --usr_lib=libnone.so
    expect 78 $slow "*libother_version.so: built for lockstep 0.0.9, *" $start "$train" --usr_lib="$plugins/libother_version.so"
    expect 78 $slow "*libsilent.so: defines no lockstep_register*" $start "$train" --usr_lib="$plugins/libsilent.so"
    expect 64 $slow "*--t2t_usr_dir*--usr_lib=FILE*" $start "$train" --t2t_usr_dir=my_problems
    expect 64 $slow "*no factor 'cosin'*'cosine'*" $start "$train" --hparams=learning_rate_schedule=cosin
    expect 64 $slow "*weight_decay is -1*" $start "$train" --hparams=weight_decay=-1
    expect 64 $slow "*clip_grad_norm is -1*" $start "$train" --hparams=clip_grad_norm=-1
    expect 64 $slow "*hparam train_steps is -1*" $start "$train" --hparams=train_steps=-1 --train_steps=3
    expect 64 $slow "*unknown flag --batch_size: it is an hparam: --hparams=batch_size=64*" $start "$train" --batch_size=64
    expect 64 $slow "*no problem 'mnist' (did you mean 'image_mnist'?)*" $start "$train" --problem=mnist
    expect 64 $slow "*no model 'cnn' (did you mean 'convnet'?)*" $start "$train" --model=cnn
    expect 64 $slow "*--ema=1*" $start "$train" --ema=1
    # Devices.
    expect 78 $slow "*cuda*" $start "$train" --device=cuda:9
    expect 64 $slow "*no device 'tpu' (did you mean 'cpu'?)*" $start "$train" --device=tpu
    # Data.
    expect 64 $slow "*--data_dir*" $start "$train" --problem=image_mnist
    expect 66 $slow "*train-images-idx3-ubyte*" $start "$train" --problem=image_mnist --data_dir="$folder"
    expect 66 $slow "*train.h5*train_inputs.npy*" $start "$train" --problem=arrays --data_dir="$folder"
    expect 65 $slow "*train_inputs.npy*" $start "$train" --problem=arrays --data_dir="$folder/cut_off"
    expect 65 $slow "*train_targets.npy*object*" $start "$train" --problem=arrays --data_dir="$folder/objects"
    for model in convnet lenet resnet; do
      expect 78 $slow "*images of (3, 16, 16) seem to have their channels first*transpose(0, 2, 3, 1)*" $start "$train" \
        --problem=arrays --data_dir="$folder/channels_first" --model="$model"
    done
    # Output.
    expect 74 $slow "*/proc/nothing*" $start "$train" --output_dir=/proc/nothing
    # A learning rate that makes the loss infinite.
    expect 70 $slow "*not finite*learning_rate*" $start "$train" --hparams=learning_rate=1e30
  }
done
# shellcheck disable=SC2046
expect 78 $slow "*--micro_shards*" $(mpi 3) "$train" --exact --micro_shards=2 --global_batch_size=8

# Foreign text is shown with control characters escaped.
expect 64 $slow '*unknown flag --?x1b?31mred;*' "$train" --$'\e'"[31mred=1"
expect 64 $slow "*no model 'm?x1bl?np'*" "$train" --model=$'m\el\np'
# With fewer samples than the batch size, each step takes all samples.
expect 0 $slow "*W?*hparam batch_size=20001 is more than there are training samples: each step takes all 20000*" \
  "$train" --model=linear --hparams=batch_size=20001 --train_steps=1

expect 0 $slow "*W?*global batch of 16 tokens is too small for a sequence of *: each of those is a batch by itself; give hparam batch_size=*" \
  "$train" --problem=algorithmic_identity_binary40 --model=transformer --hparams_set=transformer_tiny \
  --hparams=batch_size=16 --train_steps=1 --eval_steps=1

# Suggested cures work.
expect 64 $slow "*hparam 'activation' is missing*, or give --model=convnet, whose set that is" "$train" --hparams_set=convnet
expect 64 $slow "*--hparams_set=gpt2 is a set of model transformer_lm, not of mlp: give --model=transformer_lm --problem=languagemodel_text" \
  "$train" --hparams_set=gpt2
expect 64 $slow "*no model 'gpt2': it is a set of hparams of model transformer_lm: --model=transformer_lm --hparams_set=gpt2" \
  "$train" --model=gpt2
expect 64 $slow "*'-v' is no flag (did you mean --version?); *" "$train" -v
expect 64 $slow "*'-np' is no flag: *mpirun -np N train*" "$train" -np 2
expect 64 $slow "*joined by ?: learning_rate_schedule=constant?cosine" "$train" --hparams=learning_rate_schedule=constant,cosine
expect 64 $slow "*no device 'gpu' (did you mean 'cuda'?): *" "$train" --device=gpu
expect 64 $slow "*--overlap=yes: expected auto, inline or thread" "$train" --overlap=yes
expect 64 $slow "*--print_hparams and --print_schedule each print *" "$train" --print_schedule --print_hparams

# The default loss for real-valued targets.
mkdir "$folder/real"
zeros 24 | npy '|u1' '(8, 3)' >"$folder/real/train_inputs.npy"
zeros 32 | npy '<f4' '(8,)' >"$folder/real/train_targets.npy"
expect 0 $slow "*model linear: *; loss mean_squared_error; *" "$train" --problem=arrays --data_dir="$folder/real" \
  --model=linear --train_steps=1

# Two limits for the length: the one that comes first counts, and a message says so.
expect 0 $slow "*--train_steps=3 comes before the end of --train_epochs=1: *" "$train" --train_steps=3 --train_epochs=1
expect 0 $slow "*trained 3 steps*" "$train" --train_steps=3 --train_epochs=1
expect 0 $slow "*trained 3 steps*" "$train" --train_steps=3 --quiet

# A host with a different build of a user's library.
{
  cat "$plugins/libmine.so"
  echo newer
} >"$folder/libmine.so"
# shellcheck disable=SC2046
expect 78 $slow "*the SHA-256 of --usr_lib is '*' on rank 0 (*) and '*' on rank 1 (*" $(mpi 1) "$train" \
  --usr_lib="$plugins/libmine.so" : -np 1 "$train" --usr_lib="$folder/libmine.so"

# A host with different data, in a single byte.
# shellcheck disable=SC2046
expect 78 $slow "*the checksum of the training samples is '*' on rank 0 (*) and '*' on rank 1 (*" $(mpi 1) "$train" \
  --problem=arrays --data_dir="$folder/here" : -np 1 "$train" --problem=arrays --data_dir="$folder/there"

# A launcher whose processes MPI does not know: the same model must never be trained twice. Variables that only describe
# a job's allocation are ignored.
expect 78 $slow "*started 2 processes*" env PMI_SIZE=2 PMI_RANK=0 "$train"
expect 78 $slow "*started 4 processes*" env OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 "$train"
expect 78 $slow "*srun --mpi=pmix*" env SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 "$train"
expect 78 $slow "*3 tasks with PMI2*srun --mpi=pmix -K -n 3*" env SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3 PMI_RANK=0 PMI_SIZE=3 PMI_FD=9 "$train"
expect 0 $slow "*trained 1 step (*" env SLURM_NTASKS=8 NSLOTS=8 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 "$train" --train_steps=1
exit $failed
