#pragma once

#include <cstddef>

namespace lockstep {

// memcpy past the caches: for memory that is not read again soon, or only after the caches have lost it. An ordinary
// store first reads the line that it overwrites, a third of all traffic; the stores of this copy do not. It takes half
// the time if the data come from memory, but longer if they would have stayed in a cache. A thread that sees a later
// store of this thread sees the copy.
void streaming_copy(void* to, const void* from, std::size_t bytes);

}  // namespace lockstep
