#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "base/error.h"
#include "collective/window.h"

namespace lockstep {

// Throws Error(internal) unless the access lies in the target's part, at a multiple of `alignment` bytes.
inline void check_window_access(const Window& window, int target, std::int64_t offset, std::int64_t bytes,
                                std::int64_t alignment) {
  LS_CHECK(0 <= target && target < window.size(),
           fmt::format("rank {} accesses the window of rank {} of {}", window.rank(), target, window.size()));
  const std::int64_t part = window.bytes_of(target);
  LS_CHECK(0 <= offset && offset <= part && bytes <= part - offset,
           fmt::format("rank {} accesses {} bytes at {} of rank {}'s part of {} bytes", window.rank(), bytes, offset,
                       target, part));
  LS_CHECK(offset % alignment == 0, fmt::format("rank {} accesses rank {}'s part at {}, which is not a multiple of {}",
                                                window.rank(), target, offset, alignment));
}

}  // namespace lockstep
