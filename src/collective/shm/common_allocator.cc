#include "collective/shm/common_allocator.h"

#include <array>
#include <memory>
#include <utility>

#include "base/error.h"
#include "collective/shm/shared_allocator.h"
#include "collective/shm/staged_gather.h"

namespace lockstep {

Buffer CommonAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  constexpr std::array kOwner{0};
  meet_to_allocate(meeting_, bytes, kOwner.front());
  SharedMemory shared = share_memory(gather_over(meeting_, Operation::allocate), meeting_.rank(),
                                     meeting_.group().job_ranks, sharing_, meeting_.rank() == 0 ? bytes : 0, kOwner);
  if (!shared.why_not.empty()) refuse(shared);
  std::shared_ptr<std::byte> piece = std::move(shared.pieces.front());
  std::byte* const memory = piece.get();
  return {memory, bytes, device(), [piece = std::move(piece)](void* /*data*/) mutable { piece.reset(); }};
}

}  // namespace lockstep
