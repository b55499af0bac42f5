#pragma once

#include <cuda_runtime_api.h>

#include "base/error.h"

namespace lockstep {

// Throws a DeviceError with the place, the call and CUDA's own name and text of the status. Clears the status in CUDA,
// so that the next call does not report it again.
void check_cuda(cudaError_t status, Where where);

#define LS_CUDA(call) ::lockstep::check_cuda((call), LS_HERE(#call))

}  // namespace lockstep
