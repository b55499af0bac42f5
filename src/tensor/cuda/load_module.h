#pragma once

#include <memory>

#include "tensor/backend.h"

namespace lockstep {

// Loads liblockstep_cuda from the folder that liblockstep lies in and makes a Backend of its GPU `index`. Jobs that ask
// for no GPU never come here, so they run where there is no driver and do not pay for loading it. The module stays
// loaded until the process ends, because what it made needs its code. Any thread may call.
// Throws Error(configuration): no module, one of another version, no driver, no such GPU.
std::unique_ptr<Backend> make_cuda_backend(int index);

// The GPUs that this process sees. What keeps the module from being loaded, or the driver says, is in why_none.
VisibleDevices find_cuda_devices();

// A constant object that liblockstep_cuda shows besides; null if it was built without. Throws as above.
const void* find_in_cuda_module(const char* symbol);

}  // namespace lockstep
