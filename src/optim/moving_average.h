#pragma once

#include <algorithm>
#include <cstdint>

namespace lockstep {

// The weight of the new values in an exponential moving average at its update n, from 1: 1 - d with
// d = min(decay, (1 + n) / (10 + n)), as in tf.train.ExponentialMovingAverage, so that the first values, which are
// noise, are soon forgotten.
inline double weight_of_new(double decay, std::int64_t n) {
  const auto updates = static_cast<double>(n);
  return 1 - std::min(decay, (1 + updates) / (10 + updates));
}

}  // namespace lockstep
