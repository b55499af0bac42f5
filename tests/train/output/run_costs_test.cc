#include "train/output/run_costs.h"

#include <doctest/doctest.h>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("costs are means over the ranks; communication beyond that of the quickest rank was waiting") {
  for_rank_contexts([](RankContext& rank) {
    const int size = rank.communicator.size();
    // Ranks compute 10, 11, 12, ... of 20 seconds and wait for the last.
    const double late = rank.communicator.rank();
    const PhaseSeconds mine{
        .data = 1, .compute = 10 + late, .communication = 9 - late, .evaluation = 0.5, .saving = 0.25};
    const RunCosts costs = gather_costs(rank.communicator, mine, 20, true);
    const double mean_late = (size - 1) / 2.0;
    CHECK(costs.shares.data == doctest::Approx(0.05));
    CHECK(costs.shares.compute == doctest::Approx((10 + mean_late) / 20));
    CHECK(costs.shares.communication == doctest::Approx((9 - mean_late) / 20));
    CHECK(costs.shares.evaluation == doctest::Approx(0.025));
    CHECK(costs.shares.saving == doctest::Approx(0.0125));
    CHECK(costs.waiting == doctest::Approx(mean_late / 20));
    CHECK(costs.peak_memory_bytes > 0);
  });
}

TEST_CASE("costs: a rank that computes nothing counts in no share of time") {
  for_rank_contexts([](RankContext& rank) {
    const int size = rank.communicator.size();
    if (size < 2) return;
    const bool computes = rank.communicator.rank() > 0;  // the first one only waits
    const PhaseSeconds mine{
        .data = computes ? 1.0 : 0, .compute = computes ? 15.0 : 0, .communication = computes ? 4.0 : 20};
    const RunCosts costs = gather_costs(rank.communicator, mine, 20, computes);
    CHECK(costs.shares.data == doctest::Approx(0.05));
    CHECK(costs.shares.compute == doctest::Approx(0.75));
    CHECK(costs.shares.communication == doctest::Approx(0.2));
    CHECK(costs.waiting == doctest::Approx(0));
  });
}

}  // namespace lockstep
