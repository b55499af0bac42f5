#include "collective/shm/poison.h"

#include <algorithm>

namespace lockstep {

void Poison::set(std::string_view message) noexcept {
  std::uint32_t unset = 0;
  if (!state_.compare_exchange_strong(unset, 1)) return;
  const std::size_t length = std::min(message.size(), text_.size() - 1);
  std::ranges::copy(message.substr(0, length), text_.begin());
  text_[length] = '\0';
  state_.store(kSet, std::memory_order_release);
}

std::string Poison::message() const { return text_.data(); }

}  // namespace lockstep
