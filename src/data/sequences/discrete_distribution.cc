#include "data/sequences/discrete_distribution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "base/error.h"

namespace lockstep {

DiscreteDistribution::DiscreteDistribution(std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  LS_CHECK(total > 0, "no weight above 0");
  constexpr double kLastWord = 0xFFFFFFFF;  // the last start, also of numbers less probable than a word
  starts_.reserve(weights.size());
  double before = 0;
  for (const double weight : weights) {
    starts_.push_back(static_cast<std::uint32_t>(std::min(before / total * 0x1p32, kLastWord)));
    before += weight;
  }
}

std::int32_t DiscreteDistribution::draw(std::uint32_t word) const {
  return static_cast<std::int32_t>(std::ranges::upper_bound(starts_, word) - starts_.begin()) - 1;
}

DiscreteDistribution zipf_distribution(std::int32_t count, double exponent) {
  std::vector<double> weights(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
  return DiscreteDistribution(weights);
}

DiscreteDistribution folded_normal_distribution(std::int32_t count, double mean, double deviation) {
  // P(|x| < bound) = (erf((bound - mean) / (deviation sqrt 2)) + erf((bound + mean) / (deviation sqrt 2))) / 2
  const auto below = [&](double bound) {
    const double scale = deviation * std::numbers::sqrt2;
    return (std::erf((bound - mean) / scale) + std::erf((bound + mean) / scale)) / 2;
  };
  std::vector<double> weights(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = std::max(0.0, below(static_cast<double>(i + 1)) - below(static_cast<double>(i)));
  }
  return DiscreteDistribution(weights);
}

}  // namespace lockstep
