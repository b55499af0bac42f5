#include "train/schedule/predict/predict_plan.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace lockstep {
namespace {

// Checks that every sample comes once, in the order of rounds and ranks, in whole chunks.
void check_order(const PredictPlan::Options& options) {
  CAPTURE(options.samples);
  CAPTURE(options.ranks);
  const PredictPlan plan(options);
  std::int64_t next = 0;
  for (std::int64_t round = 0; round < plan.rounds(); ++round) {
    CHECK(plan.run(round, 0).count > 0);
    for (int rank = 0; rank < options.ranks; ++rank) {
      const PredictPlan::Run run = plan.run(round, rank);
      if (run.count == 0) continue;
      REQUIRE(run.first == next);
      REQUIRE(run.first % options.chunk == 0);
      next += run.count;
    }
  }
  CHECK(next == options.samples);
}

}  // namespace

TEST_CASE("every sample is predicted once, and rows come in order") {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const std::int64_t samples : {0, 1, 6, 7, 8, 34, 35, 36, 1000, 100'003}) {
      check_order({.samples = samples, .chunk = 7, .input_elements = 4, .outputs = 3, .ranks = ranks});
      check_order({.samples = samples, .chunk = 7, .input_elements = 1 << 20, .outputs = 1, .ranks = ranks});
    }
  }
}

TEST_CASE("a round is small, however many samples there are, and however many ranks") {
  constexpr std::int64_t kSmall = 5 << 20;  // elements
  for (const int ranks : {1, 3, 1000}) {
    for (const std::int64_t outputs : {1, 10, 1000}) {
      CAPTURE(ranks);
      CAPTURE(outputs);
      const PredictPlan plan({.samples = 1'000'000'000'000, .chunk = 250, .outputs = outputs, .ranks = ranks});
      const std::int64_t of_rank = plan.run(0, 0).count * outputs;
      CHECK(of_rank <= 1 << 18);
      CHECK((of_rank * ranks <= kSmall || plan.run(0, 0).count == 250));
    }
  }
}

TEST_CASE("few samples are shared out") {
  const PredictPlan plan({.samples = 2000, .chunk = 250, .input_elements = 4, .outputs = 1, .ranks = 3});
  CHECK(plan.rounds() == 1);
  CHECK(plan.run(0, 0).count == 750);
  CHECK(plan.run(0, 1).count == 750);
  CHECK(plan.run(0, 2).count == 500);
}

TEST_CASE("a run is its chunks, one after the other") {
  const PredictPlan plan({.samples = 2000, .chunk = 250, .input_elements = 4, .outputs = 1, .ranks = 3});
  CHECK(plan.chunk(0, 1, 0).first == 750);
  CHECK(plan.chunk(0, 1, 2).first == 1250);
  CHECK(plan.chunk(0, 1, 2).count == 250);
  CHECK(plan.chunk(0, 1, 3).count == 0);
  CHECK(plan.chunk(0, 2, 2).count == 0);
}

TEST_CASE("of sequences each rank takes a chunk in a round, whatever the chunks' sizes") {
  const std::vector<std::int64_t> bounds{0, 5, 6, 20, 21, 30};
  for (const int ranks : {1, 2, 3, 5, 8}) {
    CAPTURE(ranks);
    const PredictPlan plan(bounds, ranks);
    std::size_t next = 0;
    for (std::int64_t round = 0; round < plan.rounds(); ++round) {
      CHECK(plan.run(round, 0).count > 0);
      for (int rank = 0; rank < ranks; ++rank) {
        const PredictPlan::Run run = plan.run(round, rank);
        CHECK(plan.chunk(round, rank, 0).count == run.count);
        CHECK(plan.chunk(round, rank, 1).count == 0);
        if (run.count == 0) continue;
        REQUIRE(next + 1 < bounds.size());
        CHECK(run.first == bounds[next]);
        CHECK(run.first + run.count == bounds[++next]);
      }
    }
    CHECK(next + 1 == bounds.size());
  }
  CHECK(PredictPlan({0}, 2).rounds() == 0);
}

TEST_CASE("chunks of large samples come one by one") {
  const PredictPlan plan({.samples = 100, .chunk = 8, .input_elements = 1 << 18, .outputs = 1000, .ranks = 2});
  CHECK(plan.run(0, 1).first == 8);
  CHECK(plan.run(1, 0).first == 16);
  CHECK(plan.run(6, 0).count == 4);
  CHECK(plan.run(6, 1).count == 0);
}

}  // namespace lockstep
