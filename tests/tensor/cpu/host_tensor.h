#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "tensor/tensor.h"

namespace lockstep {

// A host tensor with its memory, filled with random values in [-1, 1).
template <class T>
struct Host {
  explicit Host(const Shape& extents, std::uint16_t stream = 0)
      : data(static_cast<std::size_t>(extents.elements())), shape(extents) {
    const RandomStream random{.purpose = Purpose::initial_value, .stream = stream};
    for (std::size_t i = 0; i < data.size(); ++i) {
      const PhiloxBlock words = random.block(static_cast<std::uint32_t>(i));
      data[i] = static_cast<T>(2 * uniform_float(words[0]) - 1);
    }
  }
  static Host of(const Shape& extents, std::vector<T> values) {
    Host host(extents);
    host.data = std::move(values);
    return host;
  }
  Tensor tensor() { return {data.data(), dtype_of<T>(), shape}; }

  std::vector<T> data;
  Shape shape;
};

// The same values in double precision.
inline Host<double> doubled(const Host<float>& from) {
  return Host<double>::of(from.shape, std::vector<double>(from.data.begin(), from.data.end()));
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - b[i]);
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace lockstep
