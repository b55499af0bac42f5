#include "data/shard_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/every_sample_once.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Ids = std::vector<std::int64_t>;

Ids permutation(std::int64_t count, std::uint64_t seed, std::uint32_t epoch) {
  Ids ids(static_cast<std::size_t>(count));
  for (std::int64_t place = 0; place < count; ++place) {
    ids[static_cast<std::size_t>(place)] = permute(place, count, seed, epoch);
  }
  return ids;
}

// Returns the samples that all shares of a step read, in the order of shares; checks the sizes on the way.
Ids read_step(const ShardPlan& plan, std::int64_t step, int shares) {
  Ids together;
  Ids ids;
  const std::int64_t count = plan.global_count(step);
  for (int share = 0; share < shares; ++share) {
    plan.share(step, share, ids);
    REQUIRE(std::ssize(ids) == count / shares + (share < count % shares ? 1 : 0));
    together.insert(together.end(), ids.begin(), ids.end());
  }
  return together;
}

}  // namespace

TEST_CASE("a permutation meets every place once") {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 100, 1023, 1025, 60000}) {
    CAPTURE(count);
    CHECK(every_sample_once(permutation(count, 1, 0), count));
    CHECK(every_sample_once(permutation(count, 0xFFFFFFFFFFFFFFFFU, 0xFFFFFFFFU), count));
  }
}

TEST_CASE("a permutation reaches places beyond 32 bits") {
  constexpr std::int64_t kCount = (std::int64_t{1} << 40) + 12345;
  Ids seen;
  for (std::int64_t place = kCount - 100; place < kCount; ++place) {
    seen.push_back(permute(place, kCount, 1, 0));
    CHECK((seen.back() >= 0 && seen.back() < kCount));
  }
  CHECK(*std::ranges::max_element(seen) > std::int64_t{1} << 38);
  std::ranges::sort(seen);
  CHECK(std::ranges::adjacent_find(seen) == seen.end());
}

// Values from our own implementation in Python, written from the header: these bits decide every run.
TEST_CASE("permutations stay what they are") {
  const Ids of_100 = {89, 81, 17, 67, 73, 77, 85, 69, 87, 15};
  const Ids of_60000 = {1257, 22344, 20695, 4260, 29280, 44234};
  for (std::int64_t place = 0; place < std::ssize(of_100); ++place) {
    CHECK(permute(place, 100, 1, 0) == of_100[static_cast<std::size_t>(place)]);
  }
  for (std::int64_t place = 0; place < std::ssize(of_60000); ++place) {
    CHECK(permute(place, 60000, 12345678901, 7) == of_60000[static_cast<std::size_t>(place)]);
  }
}

TEST_CASE("epochs and seeds give other permutations") {
  const Ids first = permutation(1000, 1, 0);
  CHECK(first == permutation(1000, 1, 0));
  for (const Ids& other : {permutation(1000, 1, 1), permutation(1000, 2, 0), permutation(1000, 1 + (1ULL << 32), 0)}) {
    int same = 0;
    for (std::size_t i = 0; i < first.size(); ++i) same += first[i] == other[i] ? 1 : 0;
    CHECK(same < 10);  // one is expected, 10 has probability 1e-7
  }
}

TEST_CASE("a permutation looks random") {
  constexpr std::int64_t kCount = 60000;
  const Ids ids = permutation(kCount, 5, 2);
  double displacement = 0;
  double neighbours = 0;
  int rising = 0;
  int fixed = 0;
  std::vector<int> first_half_in_bin(10);  // samples in the first half of the places
  for (std::int64_t place = 0; place < kCount; ++place) {
    const std::int64_t id = ids[static_cast<std::size_t>(place)];
    displacement += std::abs(static_cast<double>(id - place)) / kCount;
    fixed += id == place ? 1 : 0;
    if (place < kCount / 2) ++first_half_in_bin[static_cast<std::size_t>(10 * id / kCount)];
    if (place == 0) continue;
    const std::int64_t before = ids[static_cast<std::size_t>(place - 1)];
    rising += id > before ? 1 : 0;
    neighbours += std::abs(static_cast<double>(id - before)) / kCount;
  }
  // Expected means for random permutations, with bounds of five standard deviations.
  CHECK(displacement / kCount == doctest::Approx(1.0 / 3).epsilon(0.02));
  CHECK(neighbours / kCount == doctest::Approx(1.0 / 3).epsilon(0.02));
  CHECK(std::abs(rising - kCount / 2) < 5 * std::sqrt(kCount / 12.0));
  CHECK(fixed < 10);
  for (const int count : first_half_in_bin) CHECK(std::abs(count - 3000) < 5 * std::sqrt(1500.0));
}

TEST_CASE("few samples come in every order, about equally often") {
  for (const std::int64_t count : {2, 3, 4}) {
    CAPTURE(count);
    const int orders = count == 2 ? 2 : count == 3 ? 6 : 24;
    constexpr std::uint32_t kPerOrder = 1000;
    std::map<Ids, int> seen;
    for (std::uint32_t epoch = 0; epoch < kPerOrder * static_cast<std::uint32_t>(orders); ++epoch) {
      ++seen[permutation(count, 7, epoch)];
    }
    CHECK(static_cast<int>(seen.size()) == orders);
    for (const auto& [order, times] : seen) CHECK(std::abs(times - 1000) < 150);
  }
}

TEST_CASE("every sample is read once per epoch, by any number of shares") {
  for (const int shares : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    for (const std::int64_t global_batch : {1, 4, 7, 32, 100, 101, 5000}) {
      for (const std::int64_t samples : {1, 2, 100, 257}) {
        CAPTURE(shares);
        CAPTURE(global_batch);
        CAPTURE(samples);
        const ShardPlan plan({.samples = samples, .global_batch = global_batch, .shares = shares, .seed = 3});
        const ShardPlan alone({.samples = samples, .global_batch = global_batch, .shares = 1, .seed = 3});
        const std::int64_t steps = plan.steps_per_epoch();
        REQUIRE(steps == static_cast<std::int64_t>(std::ceil(double(samples) / double(global_batch))));
        for (const std::int64_t epoch : {0, 1, 1000}) {
          Ids seen;
          for (std::int64_t step = epoch * steps + 1; step <= (epoch + 1) * steps; ++step) {
            const Ids ids = read_step(plan, step, shares);
            REQUIRE(ids == read_step(alone, step, 1));  // shares divide a step without changing it
            seen.insert(seen.end(), ids.begin(), ids.end());
          }
          REQUIRE(every_sample_once(seen, samples));
        }
      }
    }
  }
}

TEST_CASE("the last step of an epoch takes what is left, and shares may be empty") {
  const ShardPlan plan({.samples = 10, .global_batch = 4, .shares = 3, .seed = 1});
  CHECK(plan.steps_per_epoch() == 3);
  for (const std::int64_t epoch : {0, 1, 7}) {
    CHECK(plan.global_count(epoch * 3 + 1) == 4);
    CHECK(plan.global_count(epoch * 3 + 2) == 4);
    CHECK(plan.global_count(epoch * 3 + 3) == 2);
    Ids ids = {-1};
    plan.share(epoch * 3 + 3, 2, ids);
    CHECK(ids.empty());
  }
}

TEST_CASE("a batch may be far larger than the data") {
  const ShardPlan plan({.samples = 3, .global_batch = std::int64_t{1} << 62, .shares = 2, .seed = 1});
  CHECK(plan.steps_per_epoch() == 1);
  CHECK(plan.global_count(1) == 3);
  CHECK(plan.global_count(std::int64_t{1} << 31) == 3);
}

namespace {

// Returns the samples of an epoch in the order of its places.
Ids epoch_of(const ShardPlan& plan, std::int64_t epoch) {
  Ids seen;
  const std::int64_t steps = plan.steps_per_epoch();
  for (std::int64_t step = epoch * steps + 1; step <= (epoch + 1) * steps; ++step) {
    const Ids ids = read_step(plan, step, plan.options().shares);
    seen.insert(seen.end(), ids.begin(), ids.end());
  }
  return seen;
}

// Returns the blocks of samples [begin, end) of an order, each once, in increasing order.
Ids blocks_in(const Ids& order, std::int64_t begin, std::int64_t end, std::int64_t block) {
  Ids blocks;
  for (std::int64_t place = begin; place < end; ++place)
    blocks.push_back(order[static_cast<std::size_t>(place)] / block);
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

}  // namespace

TEST_CASE("with blocks too every sample is read once per epoch, by any number of shares, a window after the other") {
  for (const std::int64_t samples : {1, 7, 64, 100, 257}) {
    for (const std::int64_t block : {1, 2, 7, 8, 300}) {
      for (const std::int64_t window_blocks : {1, 2, 3, 1000}) {
        CAPTURE(samples);
        CAPTURE(block);
        CAPTURE(window_blocks);
        const ShardPlan::Options alone{.samples = samples,
                                       .global_batch = 1,
                                       .shares = 1,
                                       .seed = 3,
                                       .block = block,
                                       .window_blocks = window_blocks};
        for (const std::int64_t epoch : {0, 1, 5}) {
          const Ids order = epoch_of(ShardPlan(alone), epoch);
          REQUIRE(every_sample_once(order, samples));
          for (const int shares : {2, 3, 5}) {
            for (const std::int64_t global_batch : {4, 10, 101}) {
              auto options = alone;
              options.shares = shares;
              options.global_batch = global_batch;
              REQUIRE(epoch_of(ShardPlan(options), epoch) == order);
            }
          }
          for (std::int64_t begin = 0; begin < samples; begin += block * window_blocks) {
            const std::int64_t end = std::min(begin + block * window_blocks, samples);
            REQUIRE(std::ssize(blocks_in(order, begin, end, block)) == (end - begin - 1) / block + 1);
          }
          if (samples % block != 0) {  // the short block is in the last window
            const std::int64_t last_window = (samples - 1) / (block * window_blocks) * block * window_blocks;
            REQUIRE(blocks_in(order, last_window, samples, block).back() == samples / block);
          }
        }
      }
    }
  }
}

TEST_CASE("windows are shuffled: their blocks, and the samples in them") {
  constexpr std::int64_t kBlock = 100;
  constexpr std::int64_t kWindow = 10 * kBlock;
  constexpr std::int64_t kSamples = 20 * kWindow;
  const ShardPlan plan({.samples = kSamples, .global_batch = 1, .seed = 5, .block = kBlock, .window_blocks = 10});
  const Ids first = epoch_of(plan, 0);
  const Ids second = epoch_of(plan, 1);
  int rising = 0;
  int same_block = 0;
  double displacement = 0;
  for (std::int64_t place = 1; place < kSamples; ++place) {
    const std::int64_t before = first[static_cast<std::size_t>(place - 1)];
    const std::int64_t id = first[static_cast<std::size_t>(place)];
    rising += id > before ? 1 : 0;
    same_block += id / kBlock == before / kBlock ? 1 : 0;
    displacement += std::abs(static_cast<double>(id - place)) / kSamples;
  }
  CHECK(std::abs(rising - kSamples / 2) < 5 * std::sqrt(kSamples / 12.0));
  CHECK(std::abs(same_block - kSamples / 10) < 5 * std::sqrt(kSamples * 0.09));  // one in ten
  CHECK(displacement / kSamples == doctest::Approx(1.0 / 3).epsilon(0.05));
  // Another epoch combines other blocks: of 10 in a window, 10 * 10 / 200 are expected to be the same.
  Ids both;
  const Ids a = blocks_in(first, 0, kWindow, kBlock);
  const Ids b = blocks_in(second, 0, kWindow, kBlock);
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  CHECK(both.size() <= 4);
}

TEST_CASE("without blocks the order is the permutation of all samples") {
  const ShardPlan plan({.samples = 1000, .global_batch = 7, .seed = 3, .window_blocks = 5});
  CHECK(epoch_of(plan, 2) == permutation(1000, 3, 2));
}

TEST_CASE("blocks are announced in time, once each, a part in every step") {
  for (const std::int64_t samples : {95, 100, 1003}) {
    for (const std::int64_t global_batch : {3, 10, 64, 400}) {
      for (const std::int64_t window_blocks : {1, 4, 50}) {
        CAPTURE(samples);
        CAPTURE(global_batch);
        CAPTURE(window_blocks);
        constexpr std::int64_t kBlock = 8;
        const std::int64_t window = kBlock * window_blocks;
        const ShardPlan plan({.samples = samples,
                              .global_batch = global_batch,
                              .seed = 9,
                              .block = kBlock,
                              .window_blocks = window_blocks});
        Ids announced;
        Ids blocks;
        for (std::int64_t step = 1; step <= 2 * plan.steps_per_epoch(); ++step) {
          plan.ahead(step, blocks);
          announced.insert(announced.end(), blocks.begin(), blocks.end());
        }
        // Announced are all windows but the very first, then the first window of the following epoch.
        auto next = announced.begin();
        const auto check_window = [&](const Ids& order, std::int64_t begin) {
          const Ids expected = blocks_in(order, begin, std::min(begin + window, samples), kBlock);
          REQUIRE(announced.end() - next >= std::ssize(expected));
          Ids found(next, next + std::ssize(expected));
          next += std::ssize(expected);
          std::ranges::sort(found);
          REQUIRE(found == expected);
        };
        for (const std::int64_t epoch : {0, 1}) {
          const Ids order = epoch_of(plan, epoch);
          for (std::int64_t begin = epoch == 0 ? window : 0; begin < samples; begin += window)
            check_window(order, begin);
        }
        check_window(epoch_of(plan, 2), 0);
        REQUIRE(next == announced.end());
      }
    }
  }
}

TEST_CASE("no step announces more than its part of a window") {
  const ShardPlan plan({.samples = 100000, .global_batch = 128, .seed = 9, .block = 100, .window_blocks = 64});
  Ids blocks;
  for (std::int64_t step = 1; step <= 2 * plan.steps_per_epoch(); ++step) {
    plan.ahead(step, blocks);
    REQUIRE(std::ssize(blocks) <= 4);  // 128 / 100, and parts at the borders of windows
  }
  const ShardPlan whole({.samples = 100, .global_batch = 10});
  whole.ahead(1, blocks);
  CHECK(blocks.empty());
}

TEST_CASE("a plan that resumes from a cursor of the same batch is the uninterrupted plan") {
  for (const std::int64_t block : {0, 5}) {
    const ShardPlan::Options options{
        .samples = 47, .global_batch = 10, .shares = 3, .block = block, .window_blocks = 2};
    const ShardPlan whole(options);
    for (std::int64_t made = 0; made <= 17; ++made) {
      ShardPlan::Options later = options;
      later.from = whole.cursor(made);
      const ShardPlan rest(later);
      CHECK(rest.cursor(made) == whole.cursor(made));
      for (std::int64_t step = made + 1; step <= 20; ++step) {
        CHECK(read_step(rest, step, 3) == read_step(whole, step, 3));
        CHECK(rest.cursor(step) == whole.cursor(step));
        CHECK(rest.epochs(step) == doctest::Approx(whole.epochs(step)));
      }
      CHECK(rest.last_step_of(4) == 20);
    }
  }
}

TEST_CASE("with another batch after a cursor every sample of the epoch is still read once") {
  for (const std::int64_t block : {0, 5}) {
    const std::int64_t batches[] = {10, 7, 16, 100, 1};
    ShardPlan::Cursor at;
    Ids epoch;
    // Three steps with one batch size, three with the next, ..., until two epochs are complete.
    for (int piece = 0; at.epoch < 2; ++piece) {
      const int shares = 1 + piece % 4;
      const ShardPlan plan({.samples = 47,
                            .global_batch = batches[piece % 5],
                            .shares = shares,
                            .block = block,
                            .window_blocks = 2,
                            .from = at});
      const std::int64_t begin = at.step;
      for (std::int64_t step = begin + 1; step <= begin + 3; ++step) {
        const Ids ids = read_step(plan, step, shares);
        epoch.insert(epoch.end(), ids.begin(), ids.end());
        at = plan.cursor(step);
        CHECK(at.step == step);
        if (at.consumed != 0) continue;
        CHECK(every_sample_once(epoch, 47));
        epoch.clear();
      }
    }
  }
}

TEST_CASE("a cursor in the middle of an epoch: how many steps its rest takes") {
  const ShardPlan plan({.samples = 47, .global_batch = 10, .from = {.step = 9, .epoch = 2, .consumed = 30}});
  CHECK(plan.global_count(10) == 10);
  CHECK(plan.global_count(11) == 7);
  CHECK(plan.cursor(11) == ShardPlan::Cursor{.step = 11, .epoch = 3, .consumed = 0});
  CHECK(plan.last_step_of(1) == 9);  // made before
  CHECK(plan.last_step_of(2) == 9);
  CHECK(plan.last_step_of(3) == 11);
  CHECK(plan.last_step_of(5) == 21);
  CHECK(plan.epochs(10) == doctest::Approx(2 + 40.0 / 47));
  check_error(ExitCode::internal, {"made already"}, [&] { plan.global_count(9); });
}

TEST_CASE("what no caller may ask for is an internal error") {
  check_error(ExitCode::internal, {"nothing"}, [] { ShardPlan({.samples = 0, .global_batch = 1}); });
  check_error(ExitCode::internal, {"nothing"}, [] { ShardPlan({.samples = 1, .global_batch = 0}); });
  const ShardPlan plan({.samples = 3, .global_batch = 2, .shares = 2});
  Ids ids;
  check_error(ExitCode::internal, {"no such window"},
              [] { ShardPlan({.samples = 1, .global_batch = 1, .block = 2, .window_blocks = 0}); });
  check_error(ExitCode::internal, {"made already"}, [&] { plan.share(0, 0, ids); });
  check_error(ExitCode::internal, {"share"}, [&] { plan.share(1, 2, ids); });
  check_error(ExitCode::internal, {"place"}, [] { permute(5, 5, 1, 0); });
}

}  // namespace lockstep
