#include "tensor/device_kind.h"

#include "tensor/hidden_gpus.h"

namespace lockstep {

DeviceKind cpu_devices() {
  return {.visible = {}, .make = [](int /*index*/) { return make_backend({}); }, .is_likely = {}};
}

DeviceKind cuda_devices() {
  return {.visible = visible_gpus,
          .make =
              [](int index) {
                return make_backend({Device::Kind::cuda, index});
              },
          .is_likely = [] { return !hides_gpus(process_environment()) && has_gpu_driver(); }};
}

}  // namespace lockstep
