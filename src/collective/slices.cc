#include "collective/slices.h"

#include <algorithm>
#include <cstddef>

namespace lockstep {

FlatRange equal_slice(std::int64_t count, int ranks, int rank, std::int64_t granularity) {
  const std::int64_t grains = (count + granularity - 1) / granularity;
  const std::int64_t each = grains / ranks;
  const std::int64_t more = grains % ranks;  // slices with a grain more than the others: the first ones
  const auto border = [&](int slice) {
    return std::min(count, (each * slice + std::min<std::int64_t>(slice, more)) * granularity);
  };
  return {border(rank), border(rank + 1)};
}

std::vector<FlatRange> equal_slices(std::int64_t count, int ranks, std::int64_t granularity) {
  std::vector<FlatRange> slices(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    slices[static_cast<std::size_t>(rank)] = equal_slice(count, ranks, rank, granularity);
  }
  return slices;
}

}  // namespace lockstep
