#include "tensor/device_kind.h"

namespace lockstep {
namespace {

// Until the cuda backend has all operations of a training step, it has to be asked for.
constexpr bool kTrainsOnGpus = false;

}  // namespace

DeviceKind cpu_devices() {
  return {.visible = {}, .make = [](int /*index*/) { return make_backend({}); }, .is_likely = {}};
}

DeviceKind cuda_devices() {
  return {.visible = visible_gpus,
          .make =
              [](int index) {
                return make_backend({Device::Kind::cuda, index});
              },
          .is_likely = [] { return kTrainsOnGpus && has_gpu_driver(); }};
}

}  // namespace lockstep
