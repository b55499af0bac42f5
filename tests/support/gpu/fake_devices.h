#pragma once

#include "tensor/device_kind.h"

namespace lockstep {

// The device kind `fake`: the cuda backend on GPUs of the fake runtime, for a program's Registry::devices.
// --device=auto never takes them.
DeviceKind fake_devices();

}  // namespace lockstep
