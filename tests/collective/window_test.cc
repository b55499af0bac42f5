// Transfers of windows between threads and, under mpirun, over MPI.
#include "collective/window.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collective/windows.h"
#include "support/check_error.h"

namespace lockstep {

TEST_CASE("each rank offers a part of its own size, of zeros at first") {
  const auto bytes_of = [](int rank) { return rank == 1 ? 0 : std::int64_t{1000} * rank + 13; };
  for_rank_contexts([&](RankContext& context) {
    const int rank = context.communicator.rank();
    const auto window = make_window(context, bytes_of(rank));
    CHECK(window->rank() == rank);
    CHECK(window->size() == context.communicator.size());
    const std::span<std::byte> mine = window->memory();
    CHECK(static_cast<std::int64_t>(mine.size()) == bytes_of(rank));
    CHECK(reinterpret_cast<std::uintptr_t>(mine.data()) % 64 == 0);
    CHECK(std::ranges::all_of(mine, [](std::byte value) { return value == std::byte{0}; }));
    meet(context.communicator);

    // Rank r writes the target's last bytes but r.
    const std::byte sent{static_cast<unsigned char>(rank + 1)};
    for (int target = 0; target < window->size(); ++target) {
      CHECK(window->bytes_of(target) == bytes_of(target));
      if (target == 1) {
        window->put(target, 0, {});
        continue;
      }
      window->put(target, bytes_of(target) - 1 - rank, std::span(&sent, 1));
    }
    flush_all(*window);
    meet_and_refresh(*window, context);
    for (int origin = 0; origin < window->size() && !mine.empty(); ++origin) {
      CHECK(static_cast<int>(mine[mine.size() - 1 - static_cast<std::size_t>(origin)]) == origin + 1);
    }
    window->close();
  });
}

TEST_CASE("put and get of odd sizes and offsets between all pairs of ranks") {
  constexpr std::int64_t kRegion = 70'001;  // an origin's place in every part
  for_windows(8 * kRegion, [](Window& window, RankContext& context) {
    int round = 0;
    for (const std::size_t bytes : {1U, 3U, 8U, 1001U, 65'537U}) {
      ++round;
      const auto place = [&](int origin) { return origin * kRegion + round; };
      std::vector<std::vector<std::byte>> sent;
      for (int target = 0; target < window.size(); ++target) {
        sent.push_back(pattern(bytes, window.rank(), target, round));
        window.put(target, place(window.rank()), sent.back());
      }
      flush_all(window);
      meet_and_refresh(window, context);
      const int origin = (window.rank() + 1) % window.size();
      std::vector<std::vector<std::byte>> got(static_cast<std::size_t>(window.size()), std::vector<std::byte>(bytes));
      for (int target = 0; target < window.size(); ++target) {
        window.get(target, place(origin), got[static_cast<std::size_t>(target)]);
      }
      flush_all(window);
      int wrong = 0;
      for (int other = 0; other < window.size(); ++other) {
        const auto mine = window.memory().subspan(static_cast<std::size_t>(place(other)), bytes);
        wrong += are_equal(mine, pattern(bytes, other, window.rank(), round)) ? 0 : 1;
        wrong += are_equal(got[static_cast<std::size_t>(other)], pattern(bytes, origin, other, round)) ? 0 : 1;
      }
      CHECK(wrong == 0);
      meet(context.communicator);  // all have read before the next round
    }
  });
}

TEST_CASE("sums of whole numbers that all ranks add at once are exact") {
  constexpr std::size_t kCount = 10'007;
  constexpr std::size_t kTimes = 5;
  constexpr std::int64_t kOffset = 3 * sizeof(float);
  for_windows(kOffset + kCount * sizeof(float), [](Window& window, RankContext& context) {
    std::vector<float> values(kCount);
    for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>((window.rank() + 1) * (1 + i % 7));
    for (std::size_t time = 0; time < kTimes; ++time) {
      for (int target = 0; target < window.size(); ++target) window.add(target, kOffset, values);
      flush_all(window);
    }
    meet_and_refresh(window, context);
    const auto ranks = static_cast<std::size_t>(window.size());
    const auto* const sums = reinterpret_cast<const float*>(window.memory().data()) + 3;
    std::vector<float> read(kCount);
    window.read_added(0, kOffset, read);
    window.flush(0);
    int wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto expected = static_cast<float>(kTimes * ranks * (ranks + 1) / 2 * (1 + i % 7));
      if (sums[i] != expected || read[i] != expected) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(sums[-1] == 0);
  });
}

TEST_CASE("read_added sees whole values while others add") {
  constexpr std::size_t kCount = 1003;
  constexpr int kTimes = 100;
  for_windows(kCount * sizeof(float), [](Window& window, RankContext& context) {
    const int target = window.size() - 1;
    const int total = kTimes * (window.size() - 1);  // by every rank but 0, which reads
    if (window.rank() > 0) {
      const std::vector<float> ones(kCount, 1.0F);
      for (int time = 0; time < kTimes; ++time) {
        window.add(target, 0, ones);
        window.flush(target);
      }
    } else {
      std::vector<float> before(kCount, 0.0F);
      std::vector<float> read(kCount);
      int wrong = 0;
      await(window, [&] {
        window.read_added(target, 0, read);
        window.flush(target);
        for (std::size_t i = 0; i < kCount; ++i) {
          const auto whole = static_cast<float>(static_cast<int>(read[i]));
          if (read[i] != whole || read[i] < before[i] || read[i] > static_cast<float>(total)) ++wrong;
        }
        before = read;
        return std::ranges::all_of(read, [&](float value) { return value == static_cast<float>(total); });
      });
      CHECK(wrong == 0);
    }
    meet(context.communicator);
  });
}

TEST_CASE("accesses beyond the part, and not at multiples, are refused") {
  for_windows(100, [](Window& window, RankContext& context) {
    std::vector<std::byte> bytes(101);
    std::vector<float> values(2);
    const int last = window.size() - 1;
    const auto refused = [](const std::string& part, const std::function<void()>& call) {
      check_error(ExitCode::internal, {part}, call);
    };
    refused("101 bytes at 0 of rank", [&] { window.put(last, 0, bytes); });
    refused("101 bytes at 0 of rank", [&] { window.get(last, 0, bytes); });
    refused("1 bytes at 100", [&] { window.get(last, 100, std::span(bytes).first(1)); });
    refused("1 bytes at -1", [&] { window.get(last, -1, std::span(bytes).first(1)); });
    refused("8 bytes at 96", [&] { window.add(last, 96, values); });
    refused("8 bytes at 96", [&] { window.read_added(last, 96, values); });
    refused("8 bytes at 96", [&] { window.load(last, 96); });
    refused("8 bytes at 96", [&] { window.compare_swap(last, 96, 0, 1); });
    refused("at 12, which is not a multiple of 8", [&] { window.store(last, 12, 1); });
    refused("at 4, which is not a multiple of 8", [&] { window.fetch_add(last, 4, 1); });
    refused("at 9, which is not a multiple of 8", [&] { window.compare_swap(last, 9, 0, 1); });
    refused("at 2, which is not a multiple of 4", [&] { window.add(last, 2, values); });
    refused("the window of rank", [&] { window.put(last + 1, 0, {}); });
    refused("the window of rank -1", [&] { window.flush(-1); });
    CHECK(window.load(last, 0) == 0);
    meet(context.communicator);  // others write here only then

    window.put(last, 100 - window.size() + window.rank(), std::span(bytes).first(1));
    refused("before it has flushed", [&] { window.close(); });
    window.flush(last);
  });
}

}  // namespace lockstep
