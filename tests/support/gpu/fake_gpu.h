#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Controls of the fake runtime's GPUs (fake_runtime.cc) for tests; every process of a test sees GPUs of its own. Any
// thread may call.
namespace lockstep::gpu_stand_in {

// Sets the number of GPUs and the memory of each, in bytes; call before any other use of them. Default: one, 1 GiB.
void have_gpus(int count, std::size_t memory);

// Sets the CUDA version of the driver, 12040 for 12.4; 0: no driver. Programs are built with 13.0, which is the
// default.
void have_driver(int version);

// From lose_gpus() until find_gpus_again(), calls that work on a GPU throw CUDA's error for a GPU that is lost.
void lose_gpus();
void find_gpus_again();

// Sets whether the GPUs multiply bfloat16 and by TF32, which GPUs before Ampere do not; default: true.
void have_bfloat16(bool has);

// Sets whether there is a library of convolutions; default: false. Call before anything else is done with a GPU.
void have_cudnn(bool has);

// Returns the bytes in use on all GPUs.
std::size_t memory_in_use();

// Returns the number of graph launches so far.
std::int64_t graphs_launched();

}  // namespace lockstep::gpu_stand_in
