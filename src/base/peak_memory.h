#pragma once

#include <cstdint>

namespace lockstep {

// The most memory this process has had in use at once (VmHWM), in bytes; 0 where /proc does not say.
std::int64_t peak_memory_bytes();

// The memory that it has in use now (VmRSS); likewise.
std::int64_t used_memory_bytes();

}  // namespace lockstep
