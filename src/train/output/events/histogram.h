#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

// Counts of values in buckets of equal width from the lowest to the highest value, each without its right edge except
// the last. These are the histograms of TensorFlow 2 and Keras, which TensorBoard draws as they are. Values that are
// not finite are left out. If all values are equal, the edges are too, and the last bucket has them; if there are none,
// everything is 0.
struct Histogram {
  static constexpr std::size_t kBuckets = 30;

  double lowest = 0;
  double highest = 0;
  std::array<std::int64_t, kBuckets> counts{};

  // Bucket i reaches from edge(i) to edge(i + 1).
  double edge(std::size_t i) const;
};

// The histogram of the values. Pure. O(n), in two passes.
Histogram histogram_of(std::span<const float> values);

}  // namespace lockstep
