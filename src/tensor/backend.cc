#include "tensor/backend.h"

#include "base/error.h"
#include "tensor/cpu/cpu_backend.h"
#if LOCKSTEP_HAS_CUDA
#include "tensor/cuda/load_module.h"
#endif

namespace lockstep {
namespace {

#if LOCKSTEP_HAS_CUDA
std::unique_ptr<Backend> make_gpu_backend(Device device) { return make_cuda_backend(device.index); }
constexpr char kGpuFeature[] = "cuda " LOCKSTEP_CUDA_VERSION;
#else
std::unique_ptr<Backend> make_gpu_backend(Device device) {
  throw Error(ExitCode::configuration,
              "no device " + device.text() +
                  ": this build has no cuda backend, and GPUs are not supported yet. Run with --device=cpu, the "
                  "default",
              Scope::every_rank);
}
constexpr char kGpuFeature[] = "no cuda";
#endif

}  // namespace

std::unique_ptr<Backend> make_backend(Device device) {
  return device.kind == Device::Kind::cpu ? make_cpu_backend() : make_gpu_backend(device);
}

std::string backend_features() { return kGpuFeature; }

}  // namespace lockstep
