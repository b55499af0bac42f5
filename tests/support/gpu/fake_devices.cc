#include "support/gpu/fake_devices.h"

#include "tensor/cuda/cuda_backend.h"

namespace lockstep {

DeviceKind fake_devices() { return {.visible = visible_cuda_devices, .make = open_cuda_backend, .is_likely = {}}; }

}  // namespace lockstep
