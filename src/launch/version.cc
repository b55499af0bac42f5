#include "launch/version.h"

#include <fmt/format.h>

#include "collective/make_communicator.h"
#include "tensor/backend.h"

namespace lockstep {

std::string version_text() {
  return fmt::format("lockstep {}; devices: cpu, {}; communicators: {}", LOCKSTEP_VERSION, backend_features(),
                     communicator_features());
}

}  // namespace lockstep
