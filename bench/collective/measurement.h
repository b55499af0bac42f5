#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "case.h"
#include "implementation.h"

namespace lockstep::bench {

// Microseconds per call, each figure that of the rank on which it is largest; p50 and p99 are percentiles of the calls
// (p99 of fewer than a hundred is the slowest).
struct Times {
  double best = 0;
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
};

// One line of the output.
struct Result {
  std::string backend;
  Times times{};
  Times limit{};                   // times that memory traffic alone would take
  std::vector<double> round_us{};  // one per round: median of the calls on the slowest rank
  std::int64_t wrong = 0;          // wrong elements on all ranks, before and after
};

using Implementations = std::vector<std::pair<std::string, std::unique_ptr<Implementation>>>;

// Measures all implementations on one case, in turns of up to 5000 calls, and between their turns the memory on all
// ranks at once: a += b (for sums) or a copy (for the rest) between the halves of `bytes` of each rank's own memory.
// Each turn begins with a barrier and one call that is not counted. Values are checked before and after. seconds:
// approximate time for each implementation, and for the memory. COLLECTIVE over world.
std::vector<Result> measure(Communicator& world, Backend& backend, const Implementations& implementations,
                            const Case& c, double seconds);

}  // namespace lockstep::bench
