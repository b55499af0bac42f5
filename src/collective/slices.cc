#include "collective/slices.h"

#include <algorithm>
#include <cstddef>

namespace lockstep {

std::vector<FlatRange> equal_slices(std::int64_t count, int ranks, std::int64_t granularity) {
  const std::int64_t grains = (count + granularity - 1) / granularity;
  const std::int64_t each = grains / ranks;
  const std::int64_t more = grains % ranks;  // slices with a grain more than the others: the first ones
  const auto border = [&](int rank) {
    return std::min(count, (each * rank + std::min<std::int64_t>(rank, more)) * granularity);
  };
  std::vector<FlatRange> slices(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) slices[static_cast<std::size_t>(rank)] = {border(rank), border(rank + 1)};
  return slices;
}

}  // namespace lockstep
