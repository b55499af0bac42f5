#include "collective/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"

namespace lockstep {

FlatRange equal_slice(std::int64_t count, int ranks, int rank, std::int64_t granularity, int first) {
  const std::int64_t grains = (count + granularity - 1) / granularity;
  const std::int64_t each = grains / ranks;
  const std::int64_t more = grains % ranks;  // slices with a grain more than the others
  const std::int64_t from_0 =
      std::max<std::int64_t>(first + more - ranks, 0);  // of these, the ones that go on from rank 0
  const auto border = [&](int slice) {
    const std::int64_t longer =
        std::clamp<std::int64_t>(slice - first, 0, more) + std::min<std::int64_t>(slice, from_0);
    return std::min(count, (each * slice + longer) * granularity);
  };
  return {border(rank), border(rank + 1)};
}

std::vector<FlatRange> equal_slices(std::int64_t count, int ranks, std::int64_t granularity, int first) {
  std::vector<FlatRange> slices(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    slices[static_cast<std::size_t>(rank)] = equal_slice(count, ranks, rank, granularity, first);
  }
  return slices;
}

void check_slices(std::int64_t count, std::span<const FlatRange> slices, int ranks) {
  LS_CHECK(std::ssize(slices) == ranks, fmt::format("{} slices for {} ranks", slices.size(), ranks));
  std::int64_t end = 0;
  for (const FlatRange& slice : slices) {
    LS_CHECK(slice.begin == end && slice.end >= end,
             fmt::format("a slice [{}, {}) after one that ends at {}", slice.begin, slice.end, end));
    end = slice.end;
  }
  LS_CHECK(end == count, fmt::format("slices up to {} of {} values", end, count));
}

std::vector<FlatRange> slices_within(FlatRange piece, std::span<const FlatRange> slices) {
  std::vector<FlatRange> within;
  within.reserve(slices.size());
  const auto border = [&piece](std::int64_t at) { return std::clamp(at, piece.begin, piece.end) - piece.begin; };
  for (const FlatRange& slice : slices) within.push_back({border(slice.begin), border(slice.end)});
  return within;
}

FlatRange cache_line_slice(std::int64_t count, DType dtype, int ranks, int rank) {
  return equal_slice(count, ranks, rank, static_cast<std::int64_t>(kCacheLine / size_of(dtype)));
}

}  // namespace lockstep
