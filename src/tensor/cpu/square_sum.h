#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/multiversion.h"
#include "tensor/cpu/scaled_gradient.h"

namespace lockstep::cpu {

// The sum of squares in double precision, over partial sums in a fixed order that vectorises without being reordered
// by the compiler. Element i of every block goes to lane i % kLanes.
class SquareSum {
 public:
  template <class T>
  LS_INLINE void add(const T* values, std::int64_t count) {
    add(values, count, ScaledGradient<T>(1));
  }
  template <class T>
  LS_INLINE void add(const T* values, std::int64_t count, const ScaledGradient<T>& scaled) {
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      for (std::int64_t j = 0; j < kLanes; ++j) {
        const auto value = static_cast<double>(scaled(values[i + j]));
        lanes_[static_cast<std::size_t>(j)] += value * value;
      }
    }
    for (; i < count; ++i) {
      const auto value = static_cast<double>(scaled(values[i]));
      lanes_[static_cast<std::size_t>(i % kLanes)] += value * value;
    }
  }
  double norm() const {
    double sum = 0;
    for (double lane : lanes_) sum += lane;
    return std::sqrt(sum);
  }

 private:
  static constexpr std::int64_t kLanes = 16;
  std::array<double, kLanes> lanes_{};
};

}  // namespace lockstep::cpu
