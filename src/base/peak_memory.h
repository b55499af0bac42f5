#pragma once

#include <cstdint>

namespace lockstep {

// The most memory this process has had in use at once (VmHWM), in bytes; 0 where /proc does not say.
std::int64_t peak_memory_bytes();

// The memory that it has in use now for itself alone (RssAnon), without pages of files, which the processes of a host
// share; likewise.
std::int64_t own_memory_bytes();

}  // namespace lockstep
