#pragma once

#include <cstddef>
#include <functional>

namespace lockstep {

// Calls a function about once for each megabyte of a text that a loop processes, so that a loop of minutes can be
// ended. The function outlives it; an empty one is not called. One thread.
class EachMegabyte {
 public:
  EachMegabyte(const std::function<void()>& call, std::size_t bytes) : call_(call), called_at_(bytes) {}

  // May be called any number of times. left: bytes of the text that remain.
  void at(std::size_t left) {
    constexpr std::size_t kMegabyte = 1 << 20;
    if (called_at_ - left < kMegabyte) return;
    called_at_ = left;
    if (call_) call_();
  }

 private:
  const std::function<void()>& call_;
  std::size_t called_at_;
};

}  // namespace lockstep
