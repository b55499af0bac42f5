#pragma once

#include <cstdint>

#include "collective/collective_call.h"

namespace lockstep {

// The operation that a rank has come for. It lies in shared memory.
struct Call {
  CollectiveCall what;       // the same on all ranks, or it is a mistake
  std::uint64_t region = 0;  // region of its values (SharedRegions); 0: not in shared memory, or small
  std::uint64_t offset = 0;  // place of its values in the region; for an exchange: bytes of its longest stream
};

}  // namespace lockstep
