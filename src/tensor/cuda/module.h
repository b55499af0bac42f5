#pragma once

#include <memory>

#include "tensor/backend.h"

namespace lockstep {

// The interface of the module liblockstep_cuda: one constant object of this type, called kCudaModuleSymbol. The version
// comes first and is read before anything else, so that a module of another version is refused however much the rest
// differs.
struct CudaModule {
  const char* version;  // LOCKSTEP_VERSION that the module was compiled for
  // The GPU with this index as a Backend. Throws Error(configuration) that says how many are visible and why.
  std::unique_ptr<Backend> (*make)(int index);
  // The GPUs that this process sees. Throws Error only if one that the driver has counted cannot be described.
  VisibleDevices (*visible)();
};

inline constexpr char kCudaModuleFile[] = "liblockstep_cuda.so";
inline constexpr char kCudaModuleSymbol[] = "lockstep_cuda_module";

}  // namespace lockstep
