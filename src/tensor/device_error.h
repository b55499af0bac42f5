#pragma once

#include "base/error.h"

namespace lockstep {

// A device, or its driver, has failed: what it holds is lost, and every later call fails as well. The message has the
// driver's text; a caller that knows the device adds its name (Backend::description()).
class DeviceError final : public Error {
 public:
  explicit DeviceError(const std::string& why) : Error(ExitCode::internal, why) {}
};

}  // namespace lockstep
