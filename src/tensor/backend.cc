#include "tensor/backend.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "tensor/cpu/cpu_backend.h"
#if LOCKSTEP_HAS_CUDA
#include "tensor/cuda/load_module.h"
#endif

namespace lockstep {
namespace {

#if LOCKSTEP_HAS_CUDA
std::unique_ptr<Backend> make_gpu_backend(Device device) { return make_cuda_backend(device.index); }
VisibleDevices find_gpus() { return find_cuda_devices(); }
constexpr bool kHasGpus = true;
constexpr char kGpuFeature[] = "cuda " LOCKSTEP_CUDA_VERSION;
#else
std::unique_ptr<Backend> make_gpu_backend(Device device) {
  throw Error(ExitCode::configuration,
              "no device " + device.text() + ": this build has no cuda backend. Run with --device=cpu",
              Scope::every_rank);
}
VisibleDevices find_gpus() {
  return {.devices = {}, .why_none = "this build has no cuda backend; configure one with -D LOCKSTEP_CUDA=ON"};
}
constexpr bool kHasGpus = false;
constexpr char kGpuFeature[] = "no cuda";
#endif

}  // namespace

std::unique_ptr<Backend> make_backend(Device device) {
  return device.kind == Device::Kind::cpu ? make_cpu_backend() : make_gpu_backend(device);
}

VisibleDevices visible_gpus() { return find_gpus(); }

bool has_gpu_driver() {
  if constexpr (kHasGpus) {
    constexpr const char* kSigns[] = {"/dev/nvidiactl", "/proc/driver/nvidia", "/dev/dxg"};  // dxg: of WSL 2
    std::error_code ignored;  // a path that cannot be looked at is not there
    return std::ranges::any_of(kSigns, [&](const char* sign) { return std::filesystem::exists(sign, ignored); });
  }
  return false;
}

std::string backend_features() { return kGpuFeature; }

}  // namespace lockstep
