#pragma once

#include <memory>

#include "tensor/backend.h"

namespace lockstep {

// Loads liblockstep_cuda from the folder that liblockstep lies in and makes a Backend of its GPU `index`. Jobs that ask
// for no GPU never come here, so they run without a driver and do not pay for loading it. The module stays loaded until
// the process ends, because what it made needs its code. Any thread may call.
// Throws Error(configuration): no module, one of another version, no driver, no such GPU.
std::unique_ptr<Backend> make_cuda_backend(int index);

// The GPUs that this process sees. why_none has the reason if the module cannot be loaded, or the driver's.
VisibleDevices find_cuda_devices();

// A constant object of liblockstep_cuda, by its name; null if it was built without. Throws as make_cuda_backend() does.
const void* find_in_cuda_module(const char* symbol);

}  // namespace lockstep
