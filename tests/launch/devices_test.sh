#!/bin/bash
# Choice of each rank's device, over real processes, on fake GPUs made of threads and heap memory; and the end of a job
# that cannot have what it requests.
set -uo pipefail
# shellcheck source=tests/launch/expect.sh
source "$(dirname "$0")/expect.sh"
# shellcheck source=tests/launch/tasks.sh
source "$(dirname "$0")/tasks.sh"

fake="$(fake_train)"
slow=40
[[ -z ${LOCKSTEP_SANITIZE:-} ]] || slow=120
small='--model=linear --train_steps=2 --local_eval_frequency=0 --eval_steps=1 --hparams=batch_size=8'

# gpus NUMBER: sets the number of GPUs of each process.
gpus() { echo "env LOCKSTEP_FAKE_GPUS=$1"; }

# No device: one line, with the driver's message and the cure.
none='*no device fake: rank 0 on * sees no GPU: CUDA 13.0 says: no CUDA-capable device is detected; check the driver with nvidia-smi, * or run with --device=cpu'
# shellcheck disable=SC2046,SC2086  # words on purpose, here and below
{
  expect 78 $slow "$none" $(gpus 0) "$fake" $small --device=fake
  expect 78 $slow "$none" $(gpus 0) $(mpi 2) "$fake" $small --device=fake
  old='CUDA 13.0 says: CUDA driver version is insufficient for CUDA runtime version; the driver is for CUDA 12.4 at most'
  expect 78 $slow "*no device fake: rank 0 on * sees no GPU: $old: install a newer one, or run with --device=cpu" \
    env LOCKSTEP_FAKE_DRIVER=12040 "$fake" $small --device=fake
  expect 78 $slow '*no device fake: *; no NVIDIA driver is loaded: load one, or run with *' env LOCKSTEP_FAKE_DRIVER=0 "$fake" $small --device=fake
  expect 78 $slow '*no device fake:2: rank 0 on * sees 2 GPUs, fake:0 to fake:1; choose *' $(gpus 2) $(mpi 2) "$fake" $small --device=fake:2
  expect 78 $slow '*no device fake:1: rank 0 on * sees 1 GPU, fake:0; choose *' "$fake" $small --device=fake --devices=0,1
  expect 64 $slow '*--devices=GPU-1: it takes numbers of visible GPUs*' "$fake" $small --device=fake --devices=GPU-1
  expect 78 $slow '*--devices=0 cannot be kept with --device=cpu*' "$fake" $small --device=cpu --devices=0
  expect 64 $slow '*--gpu_order is given, too: both say which GPUs to take*' "$fake" $small --device=fake --devices=0 --gpu_order=0
  expect 78 $slow '*all on GPUs or all on CPUs*' $(mpi 1) "$fake" $small --device=cpu : -np 1 "$fake" $small --device=fake

  # Steps as graphs: on a rank that has a GPU to itself; otherwise refused with the reason.
  expect 0 $slow '* each step is given to the GPU as two CUDA graphs, from the second step on*' "$fake" $small --device=fake --cuda_graph
  expect 78 $slow '*--cuda_graph: cpu takes operations one by one; give --device=cuda, or leave the flag out*' "$fake" $small --device=cpu --cuda_graph
  expect 78 $slow '*--cuda_graph: gradients are summed over * through the host, where the host takes part; *' $(gpus 2) $(mpi 2) "$fake" $small --device=fake --cuda_graph
  expect 78 $slow '*--exact cannot be kept with --cuda_graph: --exact waits for the GPU in each step; *' "$fake" $small --device=fake --cuda_graph --exact --global_batch_size=8
  expect 78 $slow '*--cuda_graph cannot be kept with --strategy=model_averaging: *' "$fake" $small --device=fake --cuda_graph --strategy=model_averaging

  # One GPU per rank, numbered as the rank sees them.
  expect 0 $slow '* rank 0  chief  * fake:0 (Fake GPU) *' $(gpus 2) $(mpi 2) "$fake" $small --device=fake
  says 'rank 1  worker  .*  fake:1 \(Fake GPU\)'
  never_says 'share'
  expect 0 $slow '* rank 0  chief  * fake:1 (Fake GPU) *' $(gpus 2) $(mpi 2) "$fake" $small --device=fake --devices=1,0
  says 'rank 1  worker  .*  fake:0 \(Fake GPU\)'
  expect 0 $slow '* rank 0  chief  * fake:1 (Fake GPU) *' $(gpus 3) "$fake" $small --device=fake '--gpu_order=1 0'
  expect 0 $slow '* rank 0  chief  * fake:0 (Fake GPU) *' $(gpus 3) "$fake" $small --device=fake '--gpu_order=1 0' --worker_gpu=1

  # Two ranks on one GPU: with a warning unless requested.
  expect 0 $slow '* W\] 2 ranks share 1 GPU of *' $(gpus 2) $(mpi 3) "$fake" $small --device=fake
  expect 0 $slow '* rank 1  worker  * fake:1 (Fake GPU) *' $(gpus 2) $(mpi 2) "$fake" $small --device=fake:1
  never_says 'share'
  expect 0 $slow '* rank 1  worker  * fake:0 (Fake GPU) *' $(gpus 2) $(mpi 2) "$fake" $small --device=fake --devices=0,0
  never_says 'share'

  # A GPU is lost during training: the message names it, the step, and the checkpoint that is left. The second save has
  # waited for the first.
  run="$folder/run"
  losing="--model=losing --device=fake --train_steps=9 --save_checkpoints_steps=2 --output_dir=$run"
  losing+=' --local_eval_frequency=0 --eval_steps=1 --hparams=batch_size=8,optimizer=sgd'
  lost='the GPU is lost (cudaErrorDeviceUnavailable: *)'
  left="The newest checkpoint in $run is of step [46]: the same command resumes from it, on this device once it is reset or on another one"
  expect 70 $slow "*r1/2 E*cuda:1 (Fake GPU) at PCI address 0000:02:00.0 has failed at step 7: $lost. $left; *dmesg | grep Xid*" \
    $(gpus 2) $(mpi 1) "$fake" $losing : -np 1 env LOCKSTEP_FAKE_GPU_LOST=7 "$fake" $losing
  expect 0 $slow '*resumed from *model.ckpt-[46].h5: step *' $(gpus 2) $(mpi 2) "$fake" $losing

  # An evaluator next to the ranks that train: takes GPUs from the last one on, or the CPU.
  program=$fake
  every="$small --device=fake --schedule=train --output_dir=$folder/evaluated"
  cluster='{"chief": ["localhost:2222"], "worker": ["localhost:2223"]}'
  tasks "$cluster" chief 0 "$every" worker 0 "" evaluator 0 ""
  expect 0 $slow '* rank 0  evaluator  * fake:2 (Fake GPU) *' $(gpus 3) "${job[@]}"
  says 'rank 1  worker  .*  fake:1 \(Fake GPU\)'
  rm -rf "$folder/evaluated"
  tasks "$cluster" chief 0 "$every" worker 0 "" evaluator 0 --device=cpu
  expect 0 $slow '* rank 0  evaluator  * cpu *' $(gpus 2) "${job[@]}"

  # auto does not look for fake GPUs.
  expect 0 $slow '* rank 0  chief  * cpu *' "$fake" $small
}

exit $failed
