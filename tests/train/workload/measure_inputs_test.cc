#include "train/workload/measure_inputs.h"

#include <doctest/doctest.h>

#include <cmath>

#include "collective/self_communicator.h"
#include "support/given_problem.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

// 101 samples of three pixels with two channels: the sample's number, and 1.
GivenProblem ramp() {
  const auto read = [](Split, std::int64_t sample, const SampleSlot& slot) {
    for (std::size_t i = 0; i < slot.input.size(); i += 2) {
      slot.input[i] = static_cast<float>(sample);
      slot.input[i + 1] = 1;
    }
  };
  return GivenProblem({.shape = {.input = {3, 1, 2}, .outputs = 2}, .train = 101, .read = read});
}

TEST_CASE("mean and stddev of each channel, the same bits for any number of ranks") {
  const auto page = NodePage::in_process(1);
  Trace trace(page->line(0), 0);
  const auto self = make_self_communicator(trace);
  const InputStatistics alone = measure_inputs(*self, ramp());
  REQUIRE(alone.mean.size() == 2);
  CHECK(alone.mean[0] == doctest::Approx(50).epsilon(1e-12));
  CHECK(alone.stddev[0] == doctest::Approx(std::sqrt((101.0 * 101 - 1) / 12)).epsilon(1e-12));
  CHECK(alone.mean[1] == 1);
  CHECK(alone.stddev[1] == 1);
  for_ranks([&](Communicator& world) {
    const InputStatistics shared = measure_inputs(world, ramp());
    CHECK(shared.mean == alone.mean);
    CHECK(shared.stddev == alone.stddev);
  });
  for_thread_ranks(70, [&](RankContext& rank) {  // more ranks than pieces
    CHECK(measure_inputs(rank.communicator, ramp()).mean == alone.mean);
  });
}

}  // namespace
}  // namespace lockstep
