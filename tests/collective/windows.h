#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "collective/window.h"
#include "support/ranks.h"

// Steps that the windows' tests share.
namespace lockstep {

// Runs body on a window in which each rank offers `bytes` bytes, in every world.
inline void for_windows(std::int64_t bytes, const std::function<void(Window&, RankContext&)>& body) {
  for_rank_contexts([&](RankContext& context) {
    const auto window = make_window(context, bytes);
    body(*window, context);
    window->close();
  });
}

inline void flush_all(Window& window) {
  for (int target = 0; target < window.size(); ++target) window.flush(target);
}

// Returns when all ranks' flushed transfers can be seen in memory().
inline void meet_and_refresh(Window& window, RankContext& context) {
  meet(context.communicator);
  window.refresh();
}

// Polls until done() holds; every rank moves on others' transfers meanwhile.
template <class Done>
void await(Window& window, Done done) {
  constexpr double kTimeout = 60;
  const Stopwatch clock;
  while (!done()) {
    window.progress();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    LS_CHECK(clock.seconds() < kTimeout, "a test waited too long for another rank");
  }
}

inline std::vector<std::byte> pattern(std::size_t bytes, int origin, int target, int round = 0) {
  std::vector<std::byte> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    values[i] = static_cast<std::byte>(i * 31 + static_cast<std::size_t>(1 + origin * 7 + target * 13 + round * 101));
  }
  return values;
}

inline bool are_equal(std::span<const std::byte> values, std::span<const std::byte> expected) {
  return std::ranges::equal(values, expected);
}

inline constexpr std::int64_t kWord = sizeof(std::uint64_t);

}  // namespace lockstep
