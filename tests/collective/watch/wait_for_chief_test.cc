#include "collective/watch/wait_for_chief.h"

#include <doctest/doctest.h>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("all ranks wait until the chief is done, which alone is asked") {
  for_rank_contexts([](RankContext& rank) {
    int asked = 0;
    CHECK(wait_for_chief(rank.communicator, [&](std::chrono::milliseconds) { return ++asked == 3; }));
    CHECK(asked == (rank.communicator.rank() == 0 ? 3 : 0));
  });
}

TEST_CASE("any rank may end the waiting") {
  for_rank_contexts([](RankContext& rank) {
    const std::atomic<bool> give_up = rank.communicator.rank() == rank.communicator.size() - 1;
    CHECK(!wait_for_chief(
        rank.communicator, [](std::chrono::milliseconds) { return false; }, &give_up));
    CHECK(wait_for_chief(
        rank.communicator, [](std::chrono::milliseconds) { return true; }, &give_up));
  });
}

}  // namespace lockstep
