#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace lockstep {

// Extents of a dense row-major tensor, up to 5 of them; a scalar has none. A plain value.
class Shape {
 public:
  static constexpr int kMaxRank = 5;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
  explicit Shape(std::span<const std::int64_t> extents);  // each >= 0

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const;
  std::int64_t elements() const;  // 1 for a scalar
  std::span<const std::int64_t> extents() const { return {extents_.data(), static_cast<std::size_t>(rank_)}; }

  // (B, ...): this shape with one more extent in front; and without its first one.
  Shape with_front(std::int64_t extent) const;
  Shape without_front() const;

  std::string text() const;  // "(128, 784)"
  bool operator==(const Shape&) const = default;

 private:
  std::array<std::int64_t, kMaxRank> extents_{};
  int rank_ = 0;
};

}  // namespace lockstep
