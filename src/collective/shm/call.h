#pragma once

#include <cstdint>

#include "collective/collective_call.h"

namespace lockstep {

// What a rank says of the operation it has come for. It lies in shared memory.
struct Call {
  CollectiveCall what;       // the same on all ranks, or it is a mistake
  std::uint64_t region = 0;  // where its values lie: memory of an allocator (SharedRegions), 0 = elsewhere
  std::uint64_t offset = 0;  // in that memory; of an exchange: bytes of its longest stream
};

}  // namespace lockstep
