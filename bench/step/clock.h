#pragma once

#include "base/clock.h"

namespace lockstep::bench {

inline double now_us() { return static_cast<double>(monotonic_ns()) * 1e-3; }

}  // namespace lockstep::bench
