#include "tensor/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/error.h"

namespace lockstep {

Shape::Shape(std::span<const std::int64_t> extents) : rank_(static_cast<int>(extents.size())) {
  LS_CHECK(extents.size() <= kMaxRank, fmt::format("a shape of {} extents; at most {}", extents.size(), kMaxRank));
  std::copy(extents.begin(), extents.end(), extents_.begin());
  LS_CHECK(std::all_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent >= 0; }),
           "a negative extent: " + text());
}

std::int64_t Shape::operator[](int axis) const {
  LS_CHECK(axis >= 0 && axis < rank_, fmt::format("axis {} of {}", axis, text()));
  return extents_[static_cast<std::size_t>(axis)];
}

std::int64_t Shape::elements() const {
  const auto all = extents();
  return std::accumulate(all.begin(), all.end(), std::int64_t{1}, std::multiplies<>());
}

Shape Shape::with_front(std::int64_t extent) const {
  LS_CHECK(rank_ < kMaxRank, "no room for one more extent in " + text());
  Shape result;
  result.rank_ = rank_ + 1;
  result.extents_[0] = extent;
  std::copy_n(extents_.begin(), rank_, result.extents_.begin() + 1);
  return result;
}

Shape Shape::without_front() const {
  LS_CHECK(rank_ > 0, "a scalar has no first extent");
  return Shape(extents().subspan(1));
}

std::string Shape::text() const {
  std::string list;
  for (std::int64_t extent : extents()) list += (list.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + list + ")";
}

}  // namespace lockstep
