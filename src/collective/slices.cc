#include "collective/slices.h"

#include <algorithm>
#include <cstddef>

namespace lockstep {

FlatRange equal_slice(std::int64_t count, int ranks, int rank, std::int64_t granularity, int first) {
  const std::int64_t grains = (count + granularity - 1) / granularity;
  const std::int64_t each = grains / ranks;
  const std::int64_t more = grains % ranks;  // slices with a grain more than the others
  const std::int64_t from_0 =
      std::max<std::int64_t>(first + more - ranks, 0);  // of these, the ones after the last rank
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

FlatRange cache_line_slice(std::int64_t count, DType dtype, int ranks, int rank) {
  return equal_slice(count, ranks, rank, static_cast<std::int64_t>(kCacheLine / size_of(dtype)));
}

}  // namespace lockstep
