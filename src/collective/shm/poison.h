#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// The reason why no rank of a group may wait any longer. Lies in memory that the ranks share; zeroed memory is one that
// is not set. Any rank, any thread.
class alignas(64) Poison {
 public:
  // The first call decides the message.
  void set(std::string_view message) noexcept;
  bool is_set() const { return state_.load(std::memory_order_acquire) == kSet; }
  std::string message() const;  // REQUIRES: is_set()

 private:
  static constexpr std::uint32_t kSet = 2;  // 0 = not, 1 = being written

  std::atomic<std::uint32_t> state_{0};
  std::array<char, 508> text_{};
};

}  // namespace lockstep
