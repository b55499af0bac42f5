#pragma once

#include <functional>
#include <memory>

#include "tensor/backend.h"

namespace lockstep {

// A kind of device that --device can name.
struct DeviceKind {
  // Its devices, of which each rank takes one. Finding them may load a driver; finding none is not an error. Null: the
  // host itself, which always exists once.
  std::function<VisibleDevices()> visible;
  // The Backend of one of them. Throws Error(configuration).
  std::function<std::unique_ptr<Backend>(int index)> make;
  // Returns whether --device=auto looks for such devices. Cheap; null: never.
  std::function<bool()> is_likely;
};

// The kinds that Lockstep brings with it.
DeviceKind cpu_devices();
DeviceKind cuda_devices();

}  // namespace lockstep
