#include "data/missed_first_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/sequences/sequence_plan.h"
#include "data/shard_plan.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;
using Missed = std::vector<Ids>;

constexpr std::int64_t kSamples = 47;

// The plan of a run on `shares` ranks that resumes at a position, in batches of a size.
std::shared_ptr<const BatchPlan> resume(BatchCursor from, std::int64_t global_batch, int shares,
                                        std::int64_t block = 0) {
  return plan_missed_first(std::move(from), kSamples, [&](BatchCursor rest) {
    return std::make_shared<ShardPlan>(ShardPlan::Options{.samples = kSamples,
                                                          .global_batch = global_batch,
                                                          .shares = shares,
                                                          .seed = 3,
                                                          .block = block,
                                                          .window_blocks = 2,
                                                          .from = std::move(rest)});
  });
}

// Five steps an epoch, the last one of 7 samples.
std::shared_ptr<const BatchPlan> first_run(std::int64_t block = 0) { return resume({}, 10, 1, block); }

Ids read_step(const BatchPlan& plan, std::int64_t step) {
  Ids all;
  Ids ids = {-1};
  for (int share = 0; share < plan.shares(); ++share) {
    plan.share(step, share, ids);
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

Missed read_steps(const BatchPlan& plan, const std::vector<std::int64_t>& steps) {
  Missed batches;
  batches.reserve(steps.size());
  for (const std::int64_t step : steps) batches.push_back(read_step(plan, step));
  return batches;
}

// Three of eight batches were not applied: that is into the second epoch.
BatchCursor some_missed(const BatchPlan& plan) { return cursor_after(plan, 5, 9, Ids{2, 5, 8}); }

std::vector<std::int32_t> some_lengths(int count, int most) {
  std::vector<std::int32_t> lengths;
  for (int i = 0; i < count; ++i) lengths.push_back(1 + i * 7919 % most);
  return lengths;
}

}  // namespace

TEST_CASE("a position lists the samples of the batches that were not applied") {
  const auto plan = first_run();
  const BatchCursor cursor = some_missed(*plan);
  CHECK(cursor.step == 5);
  CHECK(cursor.epoch == 1);
  CHECK(cursor.consumed == 30);
  CHECK(cursor.missed == read_steps(*plan, {2, 5, 8}));
  CHECK(after_missed(cursor) == plan->cursor(8));
  CHECK(cursor_after(*plan, 8, 9, {}) == plan->cursor(8));
  CHECK(cursor_after(*plan, 0, 1, {}) == BatchCursor{});
}

TEST_CASE("every sample of an epoch is taken once, the missed ones first, by any number of shares in any batch") {
  for (const std::int64_t block : {0, 5}) {
    const auto before = first_run(block);
    const BatchCursor cursor = some_missed(*before);
    for (const int shares : {1, 3, 5}) {
      for (const std::int64_t global_batch : {1, 7, 10, 100}) {
        CAPTURE(shares);
        CAPTURE(global_batch);
        const auto plan = resume(cursor, global_batch, shares, block);
        REQUIRE(plan->from() == cursor);
        CHECK(read_steps(*plan, {6, 7, 8}) == cursor.missed);
        std::vector<int> seen(kSamples);
        for (const std::int64_t applied : {1, 3, 4, 6, 7}) {
          for (const std::int64_t id : read_step(*before, applied)) ++seen[static_cast<std::size_t>(id)];
        }
        for (std::int64_t step = 6; step <= plan->last_step_of(2); ++step) {
          const Ids ids = read_step(*plan, step);
          REQUIRE(std::ssize(ids) == plan->global_count(step));
          for (const std::int64_t id : ids) ++seen[static_cast<std::size_t>(id)];
        }
        CHECK(std::ranges::all_of(seen, [](int times) { return times == 2; }));
      }
    }
  }
}

TEST_CASE("missed batches are cut as evenly as others, and one may be larger than they are") {
  BatchCursor cursor = first_run()->cursor(3);
  cursor.missed = {{46, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {7}};
  for (const int shares : {1, 3, 5}) {
    const auto plan = resume(cursor, 4, shares);
    CHECK(plan->largest_share() == (11 + shares - 1) / shares);
    Ids ids = {-1};
    for (int share = 0; share < shares; ++share) {
      plan->share(4, share, ids);
      CHECK(std::ssize(ids) == 11 / shares + (share < 11 % shares ? 1 : 0));
      plan->share(5, share, ids);
      CHECK(ids == (share == 0 ? Ids{7} : Ids{}));
    }
  }
  CHECK(resume(cursor, 40, 3)->largest_share() == 14);
}

TEST_CASE("a run that resumes again, among the missed batches or after them, goes on with the same steps") {
  const BatchCursor cursor = some_missed(*first_run());
  const auto plan = resume(cursor, 7, 3);
  CHECK(plan->cursor(6) ==
        BatchCursor{.step = 6, .epoch = 1, .consumed = 30, .missed = {cursor.missed[1], cursor.missed[2]}});
  CHECK(plan->cursor(8) == BatchCursor{.step = 8, .epoch = 1, .consumed = 30});
  CHECK(plan->cursor(9) == BatchCursor{.step = 9, .epoch = 1, .consumed = 37});
  for (std::int64_t made = 5; made <= 20; ++made) {
    CAPTURE(made);
    const auto rest = resume(plan->cursor(made), 7, 3);
    CHECK(rest->from() == plan->cursor(made));
    CHECK(rest->last_step_of(4) == plan->last_step_of(4));
    for (std::int64_t step = made + 1; step <= 30; ++step) {
      REQUIRE(read_step(*rest, step) == read_step(*plan, step));
      REQUIRE(rest->cursor(step) == plan->cursor(step));
      REQUIRE(rest->epochs(step) == doctest::Approx(plan->epochs(step)));
    }
  }
}

TEST_CASE("a position among missed batches lists those that were handed out before those that were not") {
  const BatchCursor cursor = some_missed(*first_run());
  const auto plan = resume(cursor, 7, 1);
  CHECK(cursor_after(*plan, 6, 8, Ids{7}).missed == Missed{cursor.missed[1], cursor.missed[2]});
  CHECK(cursor_after(*plan, 6, 8, Ids{6}).missed == Missed{cursor.missed[0], cursor.missed[2]});
  const BatchCursor after = cursor_after(*plan, 8, 12, Ids{8, 10, 11});
  CHECK(after.missed == Missed{cursor.missed[2], read_step(*plan, 10), read_step(*plan, 11)});
  CHECK(after == BatchCursor{.step = 8, .epoch = 2, .missed = after.missed});
  CHECK(after_missed(after) == plan->cursor(11));
}

TEST_CASE("epochs, steps and blocks are those of the plan that comes after the missed batches") {
  const auto before = first_run(5);
  const auto plan = resume(some_missed(*before), 10, 1, 5);
  for (const std::int64_t step : {5, 6, 7, 8}) CHECK(plan->epochs(step) == doctest::Approx(1 + 30.0 / 47));
  CHECK(plan->epochs(10) == doctest::Approx(2.0));
  CHECK(plan->steps_per_epoch() == 5);
  CHECK(plan->global_batch() == 10);
  CHECK(plan->last_step_of(1) == 8);  // they may be of the first epoch
  CHECK(plan->last_step_of(2) == 10);
  CHECK(plan->layout().block == 5);
  CHECK(!plan->counts_tokens());
  Ids blocks = {-1};
  for (std::int64_t step = 6; step <= 8; ++step) {
    plan->ahead(step, blocks);
    CHECK(blocks.empty());
  }
  Ids expected;
  for (std::int64_t step = 9; step <= 15; ++step) {
    plan->ahead(step, blocks);
    before->ahead(step, expected);
    CHECK(blocks == expected);
  }
}

TEST_CASE("without missed batches there is the other plan alone, and so if the data have lost a missed sample") {
  CHECK(dynamic_cast<const ShardPlan*>(first_run().get()) != nullptr);
  BatchCursor cursor = first_run()->cursor(3);
  const BatchCursor position = cursor;
  cursor.missed = {{1, 2}, {3, kSamples}};
  const auto plan = resume(cursor, 10, 1);
  CHECK(dynamic_cast<const ShardPlan*>(plan.get()) != nullptr);
  CHECK(plan->from() == position);
}

TEST_CASE("missed batches of sequences are cut by their tokens, as others are") {
  const auto resume_sequences = [](BatchCursor from, std::int64_t tokens, int shares) {
    return plan_missed_first(std::move(from), 300, [&](BatchCursor rest) {
      return std::make_shared<SequencePlan>(SequencePlan::Options{.lengths = some_lengths(300, 40),
                                                                  .buckets = {.batch_tokens = tokens, .max_length = 40},
                                                                  .shares = shares,
                                                                  .from = std::move(rest)});
    });
  };
  const std::vector<std::int32_t> lengths = some_lengths(300, 40);
  const auto before = resume_sequences({}, 400, 1);
  const BatchCursor cursor = cursor_after(*before, 4, 8, Ids{1, 4, 7});
  CHECK(cursor.legs.size() == 1);
  for (const int shares : {1, 3, 5}) {
    CAPTURE(shares);
    const auto same = resume_sequences({}, 400, shares);
    const auto plan = resume_sequences(cursor, 170, shares);
    CHECK(plan->counts_tokens());
    CHECK(plan->largest_share() == 0);
    CHECK(read_steps(*plan, {5, 6, 7}) == cursor.missed);
    std::vector<int> seen(lengths.size());
    for (const std::int64_t applied : {2, 3, 5, 6}) {
      for (const std::int64_t id : read_step(*before, applied)) ++seen[static_cast<std::size_t>(id)];
    }
    for (std::int64_t step = 5; step <= plan->last_step_of(1); ++step) {
      for (const std::int64_t id : read_step(*plan, step)) ++seen[static_cast<std::size_t>(id)];
    }
    CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    Ids ids;
    Ids expected;
    for (int share = 0; share < shares; ++share) {
      plan->share(6, share, ids);
      same->share(4, share, expected);  // the batch as a step of its own run
      CHECK(ids == expected);
    }
  }
}

TEST_CASE("impossible plans and positions are refused") {
  const auto plan = first_run();
  const auto after_two = resume(plan->cursor(2), 10, 1);
  Ids ids;
  check_error(ExitCode::internal, {"empty"}, [&] { MissedFirstPlan({}, after_two); });
  check_error(ExitCode::internal, {"empty"}, [&] { MissedFirstPlan({{1}, {}}, after_two); });
  check_error(ExitCode::internal, {"begin after"}, [&] { MissedFirstPlan({{1}, {2}, {3}}, after_two); });
  const MissedFirstPlan missed({{1}, {2}}, after_two);
  CHECK(missed.from().step == 0);
  check_error(ExitCode::internal, {"made already"}, [&] { missed.share(0, 0, ids); });
  check_error(ExitCode::internal, {"no such share"}, [&] { missed.share(1, 1, ids); });
  check_error(ExitCode::internal, {"before the plan"}, [&] { missed.cursor(-1); });
  check_error(ExitCode::internal, {"out of order"}, [&] { cursor_after(*plan, 1, 5, Ids{3, 2}); });
  check_error(ExitCode::internal, {"not handed out"}, [&] { cursor_after(*plan, 1, 5, Ids{5}); });
  check_error(ExitCode::internal, {"plan_missed_first"},
              [&] { ShardPlan({.samples = kSamples, .global_batch = 10, .from = {.missed = {{1}}}}); });
}

}  // namespace lockstep
