#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "collective/shm/meeting.h"
#include "collective/shm/shared_memory.h"

namespace lockstep {

// All-gather of bytes as part of another operation. The meeting must outlive it.
inline Gather gather_over(Meeting& meeting, Operation operation) {
  return [&meeting, operation](std::span<const std::byte> mine, std::span<std::byte> all) {
    const Call call{.what = {.operation = operation, .count = static_cast<std::int64_t>(mine.size())}};
    for (std::size_t begin = 0; begin < mine.size(); begin += RankBlock::kAreaBytes) {
      const std::size_t bytes = std::min(RankBlock::kAreaBytes, mine.size() - begin);
      std::memcpy(meeting.next_area(), mine.data() + begin, bytes);
      if (begin == 0) {
        meeting.meet(call);
      } else {
        meeting.meet();
      }
      for (int peer = 0; peer < meeting.size(); ++peer) {
        std::memcpy(all.data() + static_cast<std::size_t>(peer) * mine.size() + begin, meeting.area(peer), bytes);
      }
    }
  };
}

}  // namespace lockstep
