#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// What a test can do to the GPUs of the fake runtime (fake_runtime.cc), which all processes of a test's own see alike.
// Any thread may call.
namespace lockstep::gpu_stand_in {

// How many there are, and the memory of each, in bytes; before anything else is done with them. At first: one, 1 GiB.
void have_gpus(int count, std::size_t memory);

// For which CUDA the driver is, 12040 for 12.4; 0: there is none. Programs are built with 13.0, and so is it at first.
void have_driver(int version);

// From now on, every call that a GPU takes part in throws what CUDA says of a GPU that has fallen off its bus.
void lose_gpus();
void find_gpus_again();

// Whether they multiply bfloat16 and by TF32, as GPUs before Ampere do not; at first they do.
void have_bfloat16(bool has);

// Whether there is a library of convolutions; at first there is none. Before anything else is done with a GPU.
void have_cudnn(bool has);

// Bytes in use on all GPUs.
std::size_t memory_in_use();

// How often graphs were launched so far.
std::int64_t graphs_launched();

}  // namespace lockstep::gpu_stand_in
