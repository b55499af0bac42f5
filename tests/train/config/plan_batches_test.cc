#include "train/config/plan_batches.h"

#include <doctest/doctest.h>

#include <vector>

#include "data/missed_first_plan.h"
#include "data/sequences/algorithmic_source.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

AlgorithmicSource sort_problem() { return {*find_algorithmic_problem("algorithmic_sort_problem"), 1}; }

HParams hparams() { return sequence_batch_hparams().set("max_length", std::int64_t{9}); }

Ids batch_of(const BatchPlan& plan, std::int64_t step) {
  Ids all;
  Ids ids;
  for (int share = 0; share < plan.shares(); ++share) {
    plan.share(step, share, ids);
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

}  // namespace

TEST_CASE("with a global batch the sequences of a step are the same for any number of shares") {
  const AlgorithmicSource problem = sort_problem();
  const auto alone = plan_sequences(problem, hparams(), {.global_batch = 600, .shares = 1}, {});
  for (const int shares : {2, 3, 5}) {
    const auto plan = plan_sequences(problem, hparams(), {.parts = shares, .global_batch = 600, .shares = shares}, {});
    CHECK(plan->global_batch() == 600);
    CHECK(plan->steps_per_epoch() == alone->steps_per_epoch());
    for (const std::int64_t step : {1, 2, 77}) {
      CHECK(batch_of(*plan, step) == batch_of(*alone, step));
      CHECK(plan->global_count(step) == std::ssize(batch_of(*alone, step)));
    }
  }
}

TEST_CASE("missed batches come first, cut into all shares, and are left out where the data lack one of their samples") {
  const AlgorithmicSource problem = sort_problem();
  BatchCursor from = plan_sequences(problem, hparams(), {.global_batch = 600, .shares = 1}, {})->cursor(9);
  const BatchCursor position = from;
  from.missed = {{5, 3, 1, 8, 9, 77}, {2}};
  const auto plan = plan_sequences(problem, hparams(), {.global_batch = 450, .shares = 3}, from);
  CHECK(batch_of(*plan, 10) == from.missed[0]);
  CHECK(batch_of(*plan, 11) == from.missed[1]);
  CHECK(plan->cursor(11) == after_missed(from));
  from.missed[1] = {problem.count(Split::train)};
  CHECK(plan_sequences(problem, hparams(), {.global_batch = 450, .shares = 3}, from)->from() == position);

  from = {.step = 9, .epoch = 2, .consumed = 20, .missed = {{5, 3}}};
  CHECK(batch_of(*plan_samples(problem, {.global_batch = 40, .shares = 3}, from), 10) == Ids{5, 3});
  from.consumed = problem.count(Split::train);
  CHECK(plan_samples(problem, {.global_batch = 40, .shares = 3}, from)->from() == BatchCursor{.step = 9, .epoch = 3});
}

TEST_CASE("without one a step has a batch for each part, and what is too long is left out") {
  const AlgorithmicSource problem = sort_problem();
  const auto plan = plan_sequences(problem, hparams(), {.own_batch = 300, .parts = 2, .shares = 2}, {});
  CHECK(plan->global_batch() == 600);
  CHECK(plan->dropped() > 0);
  for (std::int64_t step = 1; step < 50; ++step) {
    std::int64_t tokens = 0;
    for (const std::int64_t sample : batch_of(*plan, step)) {
      const std::int64_t length = problem.lengths(Split::train, sample).longest();
      REQUIRE(length <= 9);
      tokens += length;
    }
    CHECK(tokens > 0);
    CHECK(tokens <= 600);
  }
}

TEST_CASE("a run whose sequences are all too long is refused") {
  const AlgorithmicSource problem = sort_problem();
  HParams short_ones = hparams();
  short_ones.set("max_length", std::int64_t{1});
  check_error(ExitCode::configuration, {"max_length is 1", "shortest training sequence has 2"},
              [&] { plan_sequences(problem, short_ones, {.own_batch = 300}, {}); });
}

}  // namespace lockstep
