#pragma once

#include <functional>
#include <memory>

#include "tensor/backend.h"

namespace lockstep {

// What can be named by --device.
struct DeviceKind {
  // Its devices, of which each rank takes one. Finding them may load a driver; that there are none is no error. Null:
  // the host itself, which is there once and for all.
  std::function<VisibleDevices()> visible;
  // The Backend of one of them. Throws Error(configuration).
  std::function<std::unique_ptr<Backend>(int index)> make;
  // Whether --device=auto looks for such devices. Cheap; null: never.
  std::function<bool()> is_likely;
};

// Those that Lockstep brings with it.
DeviceKind cpu_devices();
DeviceKind cuda_devices();

}  // namespace lockstep
