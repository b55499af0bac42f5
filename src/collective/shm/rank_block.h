#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collective/shm/call.h"
#include "collective/shm/poison.h"

namespace lockstep {

// The shared memory of one rank of a group, written by itself (except Doorbell and Poison, of which a group uses its
// first rank's) and read by all. Zeroed memory is a block at the beginning: nothing is constructed in it, since the
// others may be reading already.
//
// Slots and areas come in pairs: meeting n uses those of n % 2. The others read a rank's slot and area until they come
// to meeting n + 1, and the rank replaces them on its way to meeting n + 2: so a round takes one meeting only.
struct RankBlock {
  struct alignas(64) Doorbell {
    std::atomic<std::uint32_t> rings;     // the word that sleepers sleep on
    std::atomic<std::uint32_t> sleepers;  // 0: no ring is needed
  };
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> meeting;  // number of the last meeting of this parity that the rank has come to
    Call call;                           // the operation it has come for; written before `meeting`
  };
  // An area is large enough that meetings cost little compared with the copies, and small enough to stay in a core's
  // cache.
  static constexpr std::size_t kAreaBytes = 512 << 10;

  Doorbell doorbell;
  Poison poison;
  Slot slots[2];
  alignas(64) std::byte areas[2][kAreaBytes];
};
static_assert(sizeof(RankBlock::Slot) == 64, "a call is seen with its arrival, in one cache line");
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "atomics in shared memory must not use a lock");

}  // namespace lockstep
