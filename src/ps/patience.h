#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/trace.h"

namespace lockstep {

// Limits of the wait for a server or client that does not answer, names for it in messages, and what is done about a
// client whose process has ended. A plain value.
struct PsPatience {
  std::chrono::seconds limit{0};     // 0: they wait for ever
  std::vector<std::string> hosts{};  // of each rank of the group, for messages; may be empty
  Trace* trace = nullptr;            // this rank's; null: none
  // Tells the first server whether the process of a client has ended; null: a rank that is lost ends the job.
  std::function<bool(int client)> has_ended{};
  // Called by the first server for a client that it has lost, with the batches that are handed out again.
  std::function<void(int client, const std::vector<std::int64_t>& again)> when_lost{};

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
