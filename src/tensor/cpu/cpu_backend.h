#pragma once

#include <memory>

#include "tensor/backend.h"

namespace lockstep {

// The math contract on the host's cores: float32 through oneDNN and vectorised loops, float64 through plain loops for
// gradient checks. Operations run at once, on one thread. To be used by the thread that made it.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace lockstep
