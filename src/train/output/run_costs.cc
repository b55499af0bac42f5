#include "train/output/run_costs.h"

#include <algorithm>

#include "base/peak_memory.h"

namespace lockstep {

RunCosts gather_costs(Communicator& ranks, const PhaseSeconds& mine, double seconds, bool computes) {
  struct Wire {
    PhaseSeconds spent{};
    double seconds = 0;
    std::int64_t peak_memory_bytes = 0;
    std::int64_t computes = 0;
  };
  const auto all = all_gather_value(ranks, Wire{.spent = mine,
                                                .seconds = std::max(seconds, 1e-9),
                                                .peak_memory_bytes = peak_memory_bytes(),
                                                .computes = computes ? 1 : 0});
  const auto computing = static_cast<double>(std::ranges::count(all, 1, &Wire::computes));
  RunCosts costs;
  double least_communication = 1;
  for (const Wire& rank : all) {
    costs.peak_memory_bytes = std::max(costs.peak_memory_bytes, rank.peak_memory_bytes);
    if (rank.computes == 0) continue;
    costs.shares = costs.shares.plus(1 / (rank.seconds * computing), rank.spent);
    least_communication = std::min(least_communication, rank.spent.communication / rank.seconds);
  }
  costs.waiting = std::max(costs.shares.communication - least_communication, 0.0);
  return costs;
}

}  // namespace lockstep
