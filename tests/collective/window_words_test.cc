// Words of windows, and what ranks tell each other by them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "collective/windows.h"

namespace lockstep {

TEST_CASE("counters lose no ticket and give none twice") {
  constexpr std::uint64_t kTickets = 1000;
  for_windows(3 * kWord, [](Window& window, RankContext& context) {
    const auto ranks = static_cast<std::size_t>(window.size());
    std::vector<std::vector<std::uint64_t>> tickets(ranks);
    for (std::uint64_t i = 0; i < kTickets; ++i) {
      for (std::size_t target = 0; target < ranks; ++target) {
        tickets[target].push_back(window.fetch_add(static_cast<int>(target), 2 * kWord, 1));
      }
    }
    for (const std::vector<std::uint64_t>& mine : tickets) {
      CHECK(std::ranges::is_sorted(mine));
      std::vector<std::uint64_t> all(ranks * kTickets);
      context.communicator.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
      std::ranges::sort(all);
      std::vector<std::uint64_t> expected(all.size());
      std::iota(expected.begin(), expected.end(), 0U);
      CHECK(all == expected);
    }
    CHECK(window.load(window.rank(), 2 * kWord) == ranks * kTickets);
    CHECK(window.load(window.rank(), kWord) == 0);
  });
}

TEST_CASE("words give the value before the call") {
  constexpr std::uint64_t kLarge = 0xfedc'ba98'7654'3210;
  for_windows(kWord, [&](Window& window, RankContext& context) {
    const int target = (window.rank() + 1) % window.size();
    window.store(target, 0, kLarge);
    CHECK(window.load(target, 0) == kLarge);
    CHECK(window.compare_swap(target, 0, kLarge + 1, 5) == kLarge);
    CHECK(window.load(target, 0) == kLarge);
    CHECK(window.compare_swap(target, 0, kLarge, 5) == kLarge);
    CHECK(window.fetch_add(target, 0, ~std::uint64_t{0}) == 5);  // wraps around
    CHECK(window.load(target, 0) == 4);
    meet(context.communicator);
  });
}

TEST_CASE("compare_swap makes a lock") {
  constexpr std::int64_t kNumber = 64;  // what the lock guards, read and written by get and put
  constexpr int kTimes = 20;
  for_windows(kNumber + kWord, [](Window& window, RankContext& context) {
    const int owner = window.size() - 1;
    for (int i = 0; i < kTimes; ++i) {
      await(window, [&] { return window.compare_swap(owner, 0, 0, 1) == 0; });
      std::uint64_t number = 0;
      window.get(owner, kNumber, std::as_writable_bytes(std::span(&number, 1)));
      window.flush(owner);
      ++number;
      window.put(owner, kNumber, std::as_bytes(std::span(&number, 1)));
      window.flush(owner);
      CHECK(window.compare_swap(owner, 0, 1, 0) == 1);
    }
    meet(context.communicator);
    std::uint64_t number = 0;
    window.get(owner, kNumber, std::as_writable_bytes(std::span(&number, 1)));
    window.flush(owner);
    CHECK(number == static_cast<std::uint64_t>(kTimes * window.size()));
  });
}

TEST_CASE("a target that only calls progress() is reached") {
  constexpr std::size_t kBytes = 300'001;
  constexpr std::int64_t kSums = 8 * 300'008;
  constexpr std::size_t kCount = 5003;
  constexpr std::int64_t kCounter = kSums + 5004 * std::int64_t{sizeof(float)};
  for_windows(kCounter + kWord, [](Window& window, RankContext& context) {
    const int rank = window.rank();
    if (rank == 0) {
      // The others tell by their lines of the status page that they are done, which takes no call of the window.
      const auto is_done = [](const StatusLine& line) { return line.rank == 0 || line.step == 1; };
      await(window, [&] { return std::ranges::all_of(context.page.lines(), is_done); });
    } else {
      const std::vector<std::byte> bytes = pattern(kBytes, rank, 0);
      const std::vector<float> ones(kCount, 1.0F);
      std::vector<std::byte> got(kBytes);
      window.put(0, rank * std::int64_t{300'008}, bytes);
      window.add(0, kSums, ones);
      window.flush(0);
      window.fetch_add(0, kCounter, 1);
      window.get(0, rank * std::int64_t{300'008}, got);
      window.flush(0);
      CHECK(are_equal(got, bytes));
      context.trace.step(1);
    }
    meet_and_refresh(window, context);
    if (rank > 0) return;
    CHECK(window.load(0, kCounter) == static_cast<std::uint64_t>(window.size() - 1));
    for (int origin = 1; origin < window.size(); ++origin) {
      const auto mine = window.memory().subspan(static_cast<std::size_t>(origin) * 300'008, kBytes);
      CHECK(are_equal(mine, pattern(kBytes, origin, 0)));
    }
  });
}

TEST_CASE("bytes that a word tells of are there") {
  constexpr std::int64_t kFull = 0;    // the number of the round whose bytes are in this part
  constexpr std::int64_t kTaken = 64;  // the number of the round that the rank written to has read
  constexpr std::int64_t kData = 129;
  constexpr std::size_t kBytes = 20'011;
  constexpr std::uint64_t kRounds = 50;
  for_windows(kData + kBytes, [](Window& window, RankContext& context) {
    const int next = (window.rank() + 1) % window.size();
    const int previous = (window.rank() + window.size() - 1) % window.size();
    int wrong = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      const std::vector<std::byte> sent = pattern(kBytes, window.rank(), next, static_cast<int>(round));
      window.put(next, kData, sent);
      window.flush(next);
      window.store(next, kFull, round);
      await(window, [&] { return window.load(window.rank(), kFull) == round; });
      window.refresh();
      const auto expected = pattern(kBytes, previous, window.rank(), static_cast<int>(round));
      wrong += are_equal(window.memory().subspan(kData, kBytes), expected) ? 0 : 1;
      window.store(previous, kTaken, round);
      await(window, [&] { return window.load(window.rank(), kTaken) == round; });
    }
    CHECK(wrong == 0);
    meet(context.communicator);
  });
}

}  // namespace lockstep
