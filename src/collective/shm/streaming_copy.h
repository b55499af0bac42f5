#pragma once

#include <cstddef>

namespace lockstep {

// memcpy past the caches: for memory that is not read again soon, or only after the caches have lost it. An ordinary
// store first reads the line that it overwrites, a third of all traffic; this one does not. Half the time from memory,
// longer where it would have stayed in a cache. What it has written is seen by whoever sees a later store of this
// thread.
void streaming_copy(void* to, const void* from, std::size_t bytes);

}  // namespace lockstep
