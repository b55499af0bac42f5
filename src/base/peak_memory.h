#pragma once

#include <cstdint>

namespace lockstep {

// The peak memory of this process (VmHWM), in bytes; 0 if /proc does not say.
std::int64_t peak_memory_bytes();

// The memory that this process uses now for itself alone (RssAnon), in bytes, without pages of files, which the
// processes of a host share; 0 if /proc does not say.
std::int64_t own_memory_bytes();

}  // namespace lockstep
