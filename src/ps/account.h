#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

// The work that servers and clients have done since the start. A plain value.
struct PsAccount {
  struct Server {
    std::int64_t bytes = 0;  // of gradients received and values sent
    double busy = 0;         // seconds in which it had something to do
    double seconds = 0;      // since it began to serve
  };
  std::vector<Server> servers{};
  std::vector<std::int64_t> batches{};    // of each client, the number of its gradients that were added
  std::vector<std::int64_t> lost{};       // of each client, the number of its processes that were lost: 0 or 1
  std::vector<std::int64_t> staleness{};  // of each staleness from 0, the number of gradients added with it
};

}  // namespace lockstep
