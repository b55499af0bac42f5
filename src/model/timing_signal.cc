#include "model/timing_signal.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

void timing_signal(std::int64_t position, std::span<float> row) {
  constexpr double kLongest = 10000;
  const std::size_t count = row.size() / 2;
  const double step = std::log(kLongest) / std::max(1.0, static_cast<double>(count) - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = static_cast<double>(position) * std::exp(-step * static_cast<double>(i));
    row[i] = static_cast<float>(std::sin(angle));
    row[count + i] = static_cast<float>(std::cos(angle));
  }
  if (row.size() % 2 == 1) row.back() = 0;
}

}  // namespace lockstep
