#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace lockstep {

// Sleeping on a word of memory that processes may share: futex(2). Any thread.

// Sleeps while the word holds `value`, until woken, for at_most at the longest; may return early for no reason.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::milliseconds at_most);
void wake_all(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace lockstep
