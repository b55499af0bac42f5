#include "data/sequences/sequence_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/random.h"
#include "data/every_sample_once.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr LengthBuckets::Options kBuckets{.batch_tokens = 300, .max_length = 60};

std::vector<std::int32_t> lengths(std::int64_t count, std::int32_t longest) {
  const RandomStream random{.seed = 5};
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t word = random.block(static_cast<std::uint32_t>(i))[0];
    values.push_back(static_cast<std::int32_t>(1 + word % static_cast<std::uint32_t>(longest)));
  }
  return values;
}

SequencePlan plan(std::int64_t samples, int shares = 1, SequencePlan::Cursor from = {},
                  LengthBuckets::Options buckets = kBuckets) {
  return SequencePlan({.lengths = lengths(samples, 60), .buckets = buckets, .shares = shares, .from = std::move(from)});
}

Ids read_steps(const SequencePlan& plan, std::int64_t begin, std::int64_t end) {
  Ids all;
  Ids ids;
  for (std::int64_t step = begin; step <= end; ++step) {
    plan.batch(step, ids);
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

}  // namespace

TEST_CASE("an epoch of sequences has each of them once, whatever the epoch") {
  for (const std::int64_t samples : {1, 2, 7, 100, 1001}) {
    CAPTURE(samples);
    const SequencePlan steps = plan(samples);
    const std::int64_t epoch = steps.steps_per_epoch();
    const Ids first = read_steps(steps, 1, epoch);
    const Ids third = read_steps(steps, 2 * epoch + 1, 3 * epoch);
    CHECK(every_sample_once(first, samples));
    CHECK(every_sample_once(third, samples));
    CHECK((samples < 100 || first != third));
    CHECK(steps.last_step_of(3) == 3 * epoch);
    CHECK(steps.epochs(3 * epoch) == 3);
  }
}

TEST_CASE("a batch has sequences of one bucket, as many as its size says but for one batch of each") {
  const std::vector<std::int32_t> all = lengths(1001, 60);
  const LengthBuckets buckets = length_buckets(kBuckets);
  const SequencePlan steps = plan(1001);
  std::map<std::size_t, int> smaller;
  Ids ids;
  for (std::int64_t step = 1; step <= steps.steps_per_epoch(); ++step) {
    steps.batch(step, ids);
    REQUIRE_FALSE(ids.empty());
    const auto bucket_of = [&](std::int64_t id) { return buckets.bucket(all[static_cast<std::size_t>(id)]); };
    const std::size_t bucket = bucket_of(ids.front());
    for (const std::int64_t id : ids) CHECK(bucket_of(id) == bucket);
    CHECK(std::ssize(ids) <= buckets.sizes[bucket]);
    if (std::ssize(ids) < buckets.sizes[bucket]) ++smaller[bucket];
  }
  for (const auto& [bucket, count] : smaller) CHECK(count == 1);
}

TEST_CASE("shares of a step are its batch, cut into runs of as equal numbers of tokens as whole sequences allow") {
  const std::vector<std::int32_t> all = lengths(1001, 60);
  for (const int shares : {1, 2, 3, 4, 5, 8, 17}) {
    CAPTURE(shares);
    const SequencePlan steps = plan(1001, shares);
    for (std::int64_t step = 1; step <= steps.steps_per_epoch(); ++step) {
      Ids batch;
      steps.batch(step, batch);
      std::int64_t tokens = 0;
      for (const std::int64_t id : batch) tokens += all[static_cast<std::size_t>(id)];
      Ids together;
      Ids ids;
      for (int share = 0; share < shares; ++share) {
        steps.share(step, share, ids);
        std::int64_t own = 0;
        for (const std::int64_t id : ids) own += all[static_cast<std::size_t>(id)];
        CHECK(std::abs(own * shares - tokens) <= 60 * shares);  // half of the longest sequence at either end
        together.insert(together.end(), ids.begin(), ids.end());
      }
      CHECK(together == batch);
    }
  }
}

TEST_CASE("a plan that resumes goes on with the steps of the uninterrupted one") {
  const SequencePlan steps = plan(300);
  const std::int64_t epoch = steps.steps_per_epoch();
  for (const std::int64_t stop : {std::int64_t{0}, std::int64_t{1}, epoch - 1, epoch, epoch + 3}) {
    CAPTURE(stop);
    const SequencePlan resumed = plan(300, 3, steps.cursor(stop));
    CHECK(read_steps(resumed, stop + 1, 3 * epoch) == read_steps(steps, stop + 1, 3 * epoch));
    CHECK(resumed.cursor(stop + 2) == steps.cursor(stop + 2));
    CHECK(resumed.last_step_of(4) == steps.last_step_of(4));
    CHECK(resumed.epochs(stop + 2) == doctest::Approx(steps.epochs(stop + 2)));
  }
}

TEST_CASE("an epoch that is begun with one budget of tokens and ended with others has each sequence once") {
  const SequencePlan first = plan(500);
  Ids seen = read_steps(first, 1, 7);
  const SequencePlan second = plan(500, 1, first.cursor(7), {.batch_tokens = 500, .max_length = 60});
  CHECK(second.epochs(7) == doctest::Approx(static_cast<double>(seen.size()) / 500));
  const Ids then = read_steps(second, 8, 11);
  seen.insert(seen.end(), then.begin(), then.end());
  CHECK(second.cursor(11).legs.size() == 2);
  CHECK(second.epochs(11) < 1);

  const SequencePlan third = plan(500, 1, second.cursor(11), {.batch_tokens = 90, .max_length = 60});
  const Ids rest = read_steps(third, 12, third.last_step_of(1));
  seen.insert(seen.end(), rest.begin(), rest.end());
  CHECK(every_sample_once(seen, 500));
  CHECK(third.cursor(third.last_step_of(1)) == SequencePlan::Cursor{.step = third.last_step_of(1), .epoch = 1});

  const std::int64_t begin = third.last_step_of(1);
  CHECK(every_sample_once(read_steps(third, begin + 1, third.last_step_of(2)), 500));
}

TEST_CASE("an epoch that goes on with longer or shorter sequences has each that it takes once") {
  const auto all = lengths(500, 60);
  const SequencePlan first = plan(500, 1, {}, {.batch_tokens = 300, .max_length = 30});
  Ids seen = read_steps(first, 1, 5);
  const SequencePlan longer = plan(500, 1, first.cursor(5));
  const Ids rest = read_steps(longer, 6, longer.last_step_of(1));
  seen.insert(seen.end(), rest.begin(), rest.end());
  CHECK(every_sample_once(seen, 500));

  Ids begun = read_steps(longer, 6, 8);
  const SequencePlan shorter = plan(500, 1, longer.cursor(8), {.batch_tokens = 300, .max_length = 20});
  const Ids last = read_steps(shorter, 9, shorter.last_step_of(1));
  const Ids before = read_steps(first, 1, 5);
  begun.insert(begun.end(), before.begin(), before.end());
  for (const std::int64_t id : last) {
    CHECK(all[static_cast<std::size_t>(id)] <= 20);
    CHECK(std::ranges::find(begun, id) == begun.end());
  }
}

TEST_CASE("a batch of 4096 tokens has the sequences of tensor2tensor's table") {
  const std::vector<std::int32_t> short_ones(1000, 7);
  const SequencePlan steps({.lengths = short_ones, .buckets = {.batch_tokens = 4096, .max_length = 256}});
  CHECK(steps.steps_per_epoch() == 3);  // of 420, 420 and 160
  std::vector<std::size_t> sizes;
  Ids ids;
  for (std::int64_t step = 1; step <= 3; ++step) {
    steps.batch(step, ids);
    sizes.push_back(ids.size());
  }
  std::ranges::sort(sizes);
  CHECK(sizes == std::vector<std::size_t>{160, 420, 420});
}

TEST_CASE("sequences that are too long are in no epoch, and counted") {
  const SequencePlan steps({.lengths = {3, 61, 5, 60, 1000}, .buckets = kBuckets});
  CHECK(steps.dropped() == 2);
  CHECK(steps.longest_sample() == 60);
  Ids ids = read_steps(steps, 1, steps.steps_per_epoch());
  std::ranges::sort(ids);
  CHECK(ids == Ids{0, 2, 3});
}

TEST_CASE("seeds give other batches") {
  const std::vector<std::int32_t> all = lengths(200, 60);
  const SequencePlan one({.lengths = all, .buckets = kBuckets, .seed = 1});
  const SequencePlan two({.lengths = all, .buckets = kBuckets, .seed = 2});
  CHECK(read_steps(one, 1, one.steps_per_epoch()) != read_steps(two, 1, two.steps_per_epoch()));
}

}  // namespace lockstep
