#include "data/summed_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "data/missed_first_plan.h"
#include "data/sequences/sequence_plan.h"
#include "data/shard_plan.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::int64_t kSamples = 47;

// Batches of ten, five an epoch, the last one of seven samples; those that a position has missed come first.
std::shared_ptr<const BatchPlan> gradients_from(BatchCursor from, int shares = 1, std::int64_t block = 0) {
  return plan_missed_first(std::move(from), kSamples, [&](BatchCursor rest) {
    return std::make_shared<ShardPlan>(ShardPlan::Options{.samples = kSamples,
                                                          .global_batch = 10,
                                                          .shares = shares,
                                                          .seed = 3,
                                                          .block = block,
                                                          .window_blocks = 2,
                                                          .from = std::move(rest)});
  });
}

Ids share_of_step(const BatchPlan& plan, std::int64_t step, int share) {
  Ids ids = {-1};
  plan.share(step, share, ids);
  return ids;
}

// The samples of one share in steps of a plan, one after the other.
Ids share_of_steps(const BatchPlan& plan, std::int64_t first, std::int64_t last, int share) {
  Ids all;
  for (std::int64_t step = first; step <= last; ++step) {
    const Ids ids = share_of_step(plan, step, share);
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

}  // namespace

TEST_CASE("a step takes the batches of its gradients, share by share") {
  for (const int shares : {1, 3, 5}) {
    const auto gradients = gradients_from({}, shares);
    for (const std::int64_t sum : {1, 2, 3, 7}) {
      CAPTURE(shares);
      CAPTURE(sum);
      const SummedPlan plan(gradients, sum);
      CHECK(plan.global_batch() == 10 * sum);
      CHECK(plan.largest_share() == sum * gradients->largest_share());
      CHECK(plan.shares() == shares);
      for (std::int64_t step = 1; step <= 9; ++step) {
        std::int64_t count = 0;
        for (int share = 0; share < shares; ++share) {
          const Ids ids = share_of_step(plan, step, share);
          CHECK(ids == share_of_steps(*gradients, sum * (step - 1) + 1, sum * step, share));
          count += std::ssize(ids);
        }
        CHECK(plan.global_count(step) == count);
        BatchCursor cursor = gradients->cursor(sum * step);
        cursor.step = step;
        CHECK(plan.cursor(step) == cursor);
        CHECK(plan.epochs(step) == doctest::Approx(gradients->epochs(sum * step)));
      }
      CHECK(plan.cursor(0) == BatchCursor{});
    }
  }
}

TEST_CASE("sums of one gradient are the steps of the other plan") {
  const auto gradients = gradients_from({.step = 4, .epoch = 1, .consumed = 30});
  const SummedPlan plan(gradients, 1);
  CHECK(plan.from() == gradients->from());
  CHECK(plan.steps_per_epoch() == 5);
  CHECK(plan.last_step_of(3) == gradients->last_step_of(3));
  for (std::int64_t step = 5; step < 20; ++step) {
    CHECK(share_of_step(plan, step, 0) == share_of_step(*gradients, step, 0));
    CHECK(plan.cursor(step) == gradients->cursor(step));
  }
}

TEST_CASE("epochs end with the step that takes their last batch") {
  const SummedPlan plan(gradients_from({}), 3);
  CHECK(plan.steps_per_epoch() == 2);  // of five batches
  CHECK(plan.last_step_of(1) == 2);
  CHECK(plan.last_step_of(2) == 4);
  CHECK(plan.last_step_of(3) == 5);  // fifteen batches
  CHECK(plan.global_count(2) == 10 + 7 + 10);
  CHECK(plan.cursor(2) == BatchCursor{.step = 2, .epoch = 1, .consumed = 10});
  CHECK(plan.cursor(5) == BatchCursor{.step = 5, .epoch = 3});
  const SummedPlan later(gradients_from({.step = 9, .epoch = 1, .consumed = 40}), 3);
  CHECK(later.last_step_of(1) == 9);
  CHECK(later.last_step_of(2) == 10);
  CHECK(later.last_step_of(3) == 11);
}

TEST_CASE("every sample of an epoch is taken once, the missed ones first, whatever the sums before and after") {
  for (const std::int64_t sum : {2, 3}) {
    CAPTURE(sum);
    const auto before = gradients_from({});
    // Three of eight batches were not applied; the other five made two updates and a part of one.
    const BatchCursor cursor = cursor_after(*before, 2, 9, Ids{2, 5, 8});
    CHECK(cursor.step == 2);
    const auto gradients = gradients_from(cursor, 3);
    const SummedPlan plan(gradients, sum);
    CHECK(plan.from() == cursor);
    std::vector<int> seen(kSamples);
    const auto add = [&seen](const Ids& ids) {
      for (const std::int64_t id : ids) ++seen[static_cast<std::size_t>(id)];
    };
    for (const std::int64_t applied : {1, 3, 4, 6, 7}) add(share_of_step(*before, applied, 0));
    const std::int64_t last = gradients->last_step_of(2);
    CHECK(last == 2 + 3 + 2);
    for (std::int64_t step = 3; step <= last; ++step) {
      for (int share = 0; share < 3; ++share) add(share_of_step(*gradients, step, share));
    }
    CHECK(std::ranges::all_of(seen, [](int times) { return times == 2; }));
    CHECK(plan.last_step_of(2) == 2 + (5 + sum - 1) / sum);
    BatchCursor one_later = gradients->cursor(2 + sum);
    one_later.step = 3;
    CHECK(plan.cursor(3) == one_later);
    CHECK(plan.global_count(3) == 10 * sum - 3);  // batch 5 was the last of its epoch
  }
}

TEST_CASE("blocks are announced for all batches of a step, and missed batches are cut as the other plan cuts") {
  const auto gradients = gradients_from({}, 3, 5);
  const SummedPlan plan(gradients, 2);
  CHECK(plan.layout().block == 5);
  CHECK(plan.layout().window_blocks == 2);
  Ids blocks = {-1};
  Ids part;
  for (std::int64_t step = 1; step <= 7; ++step) {
    plan.ahead(step, blocks);
    Ids expected;
    for (const std::int64_t number : {2 * step - 1, 2 * step}) {
      gradients->ahead(number, part);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    CHECK(blocks == expected);
  }
  plan.share_of(Ids{5, 6, 7, 8}, 1, blocks);
  CHECK(blocks == Ids{7});
}

TEST_CASE("batches of tokens are summed by their tokens") {
  const auto gradients = std::make_shared<SequencePlan>(
      SequencePlan::Options{.lengths = {3, 5, 7, 9, 4, 6, 2, 8}, .buckets = {.batch_tokens = 12, .max_length = 10}});
  const SummedPlan plan(gradients, 3);
  CHECK(plan.counts_tokens());
  CHECK(plan.global_batch() == 36);
  CHECK(plan.largest_share() == 0);
  CHECK(plan.longest_sample() == gradients->longest_sample());
  CHECK(plan.dropped() == 0);
  CHECK(share_of_step(plan, 2, 0) == share_of_steps(*gradients, 4, 6, 0));
}

TEST_CASE("impossible sums and steps are refused") {
  const auto gradients = gradients_from({.step = 4, .epoch = 1, .consumed = 30});
  check_error(ExitCode::internal, {"a sum of nothing"}, [&] { SummedPlan(gradients, 0); });
  const SummedPlan plan(gradients, 3);
  check_error(ExitCode::internal, {"made already"}, [&] { plan.global_count(4); });
  check_error(ExitCode::internal, {"before the plan"}, [&] { plan.cursor(3); });
}

}  // namespace lockstep
