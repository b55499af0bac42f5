#include "tensor/cuda/module.h"

#include "tensor/cuda/cuda_backend.h"

extern "C" {
// Found by name (kCudaModuleSymbol), hence C's linkage.
extern const lockstep::CudaModule lockstep_cuda_module;
const lockstep::CudaModule lockstep_cuda_module{LOCKSTEP_VERSION, &lockstep::open_cuda_backend,
                                                &lockstep::visible_cuda_devices};
}
