#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/trace.h"

namespace lockstep {

// Limits of the wait for a server or client that does not answer, and names for it in messages. A plain value.
struct PsPatience {
  std::chrono::seconds limit{0};     // 0: they wait for ever
  std::vector<std::string> hosts{};  // of each rank of the group, for messages; may be empty
  Trace* trace = nullptr;            // this rank's; null: none

  // "rank 5 on b"
  std::string who(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    return "rank " + std::to_string(rank) + (at < hosts.size() ? " on " + hosts[at] : "");
  }
  // Tells the watchdog, by a short operation, that this rank waits and is well.
  void note_progress() const {
    if (trace == nullptr) return;
    [[maybe_unused]] const auto operation = trace->begin(Operation::exchange, 0);
  }
};

}  // namespace lockstep
