#pragma once

#include <cstdint>

#include <device_code.h>

namespace lockstep {

// A block for each row of images, whose threads take its elements in turns: neighbours in memory side by side.
inline Grid grid_of_image_rows(std::int64_t rows, std::int64_t elements) {
  constexpr int kMostThreads = 256;
  const std::int64_t threads = (elements + kWarp - 1) / kWarp * kWarp;
  return {.blocks = rows, .threads = threads < kMostThreads ? static_cast<int>(threads) : kMostThreads};
}

}  // namespace lockstep
