#include "train/output/events/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep {

double Histogram::edge(std::size_t i) const {
  if (i == kBuckets) return highest;  // not a rounding error away from it
  return lowest + (highest - lowest) * static_cast<double>(i) / kBuckets;
}

Histogram histogram_of(std::span<const float> values) {
  float lowest = std::numeric_limits<float>::infinity();
  float highest = -lowest;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  if (lowest > highest) return {};

  // In float64, where neither the difference of two floats nor its inverse overflows.
  Histogram histogram{.lowest = lowest, .highest = highest};
  const double range = histogram.highest - histogram.lowest;
  const double buckets_per_unit = range > 0 ? Histogram::kBuckets / range : 0;
  const int last = Histogram::kBuckets - 1;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const int bucket = static_cast<int>((value - histogram.lowest) * buckets_per_unit);
    ++histogram.counts[static_cast<std::size_t>(range > 0 ? std::min(bucket, last) : last)];
  }
  return histogram;
}

}  // namespace lockstep
