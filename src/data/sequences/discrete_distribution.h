#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// Draws whole numbers 0, 1, ... with given probabilities, from one random word each. The cumulative probabilities are
// kept as 32-bit numbers, so that the last bits of a machine's powers do not matter. 4 bytes a number; made once, then
// any threads may draw.
class DiscreteDistribution {
 public:
  // Number i is drawn with probability weights[i] / sum of weights. REQUIRES: weights >= 0, their sum > 0.
  explicit DiscreteDistribution(std::span<const double> weights);

  // A number in [0, weights.size()), by binary search.
  std::int32_t draw(std::uint32_t word) const;

 private:
  std::vector<std::uint32_t> starts_;  // words in [starts_[i], starts_[i + 1]) are number i
};

// Zipf's law: number i of [0, count) with a probability proportional to (i + 1)^-exponent.
DiscreteDistribution zipf_distribution(std::int32_t count, double exponent);

// Numbers i of [0, count), where i is the integer part of |x|, and x is normal with this mean and deviation.
DiscreteDistribution folded_normal_distribution(std::int32_t count, double mean, double deviation);

}  // namespace lockstep
