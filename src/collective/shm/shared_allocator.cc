#include "collective/shm/shared_allocator.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "collective/shm/staged_gather.h"

namespace lockstep {

void meet_to_allocate(Meeting& meeting, std::size_t bytes, int owner) {
  meeting.meet({.what = {.operation = Operation::allocate, .root = owner, .count = static_cast<std::int64_t>(bytes)}});
}

SharedAllocator::SharedAllocator(Meeting& meeting, Place place) : meeting_(meeting), place_(std::move(place)) {}

Buffer SharedAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  meet_to_allocate(meeting_, bytes);
  std::vector<int> everyone(static_cast<std::size_t>(meeting_.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  SharedMemory shared = share_memory(gather_over(meeting_, Operation::allocate), meeting_.rank(),
                                     meeting_.group().job_ranks, place_.sharing, bytes, everyone);
  if (!shared.why_not.empty()) refuse(shared);
  SharedRegions::Region region;
  region.number = std::uint64_t{place_.group} << 32U | ++allocated_;
  region.bytes = bytes;
  region.mine = shared.pieces[static_cast<std::size_t>(meeting_.rank())].get();
  region.pieces.resize(static_cast<std::size_t>(*std::ranges::max_element(place_.members)) + 1);
  for (std::size_t rank = 0; rank < place_.members.size(); ++rank) {
    region.pieces[static_cast<std::size_t>(place_.members[rank])] = std::move(shared.pieces[rank]);
  }
  std::byte* const mine = region.mine;
  const std::uint64_t number = region.number;
  place_.regions->add(std::move(region));
  return {mine, bytes, device(), [regions = place_.regions, number](void* /*data*/) { regions->remove(number); }};
}

}  // namespace lockstep
