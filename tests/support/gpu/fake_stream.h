#pragma once

#include <functional>

#include "tensor/cuda/gpu_runtime.h"

namespace lockstep::gpu_stand_in {

// Submits work to a stream of the fake runtime, whose thread calls it after all earlier work. Its exceptions are thrown
// by later calls of the runtime, as a GPU's errors are.
void submit(GpuStream stream, std::function<void()> work);

// Returns the device that the calling thread has selected.
int selected_gpu();

}  // namespace lockstep::gpu_stand_in
