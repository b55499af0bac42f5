#include "collective/shm/shared_regions.h"

#include <algorithm>
#include <functional>

namespace lockstep {

void SharedRegions::remove(std::uint64_t number) {
  std::erase_if(regions_, [number](const Region& region) { return region.number == number; });
}

SharedRegions::Place SharedRegions::place_of(const void* data, std::size_t bytes) const {
  const auto* first = static_cast<const std::byte*>(data);
  for (const Region& region : regions_) {
    const std::byte* end = region.mine + region.bytes;
    if (std::greater_equal<>()(first, region.mine) && std::less_equal<>()(first + bytes, end)) {
      return {region.number, static_cast<std::uint64_t>(first - region.mine)};
    }
  }
  return {};
}

std::byte* SharedRegions::at(Place place, int rank) const {
  const auto region = std::ranges::find(regions_, place.region, &Region::number);
  const auto index = static_cast<std::size_t>(rank);
  if (region == regions_.end() || index >= region->pieces.size() || region->pieces[index] == nullptr) return nullptr;
  return region->pieces[index].get() + place.offset;
}

}  // namespace lockstep
