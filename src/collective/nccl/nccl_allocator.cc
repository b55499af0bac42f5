#include "collective/nccl/nccl_allocator.h"

#include <algorithm>
#include <cstdint>

#include "collective/nccl/nccl_calls.h"
#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {
namespace {

// Smaller buffers would take 2 MiB each, to save a copy that does not matter.
constexpr std::size_t kLeastBytes = 64 << 10;

// Uses a stream of its own, which others do not wait for: so it waits here.
void zero(void* memory, std::size_t bytes) {
  const GpuStream stream = create_stream();
  zero_on_stream(memory, bytes, stream);
  synchronize_stream(stream);
  destroy_stream(stream);
}

}  // namespace

Buffer NcclAllocator::allocate_unregistered(std::size_t bytes) {
  const int gpu = device().index;
  select_gpu(gpu);
  void* const memory = allocate_for_nccl(bytes);
  if (memory == nullptr) return {};
  return {memory, bytes, device(), [rank = rank_, gpu](void* data) {
            try {
              select_gpu(gpu);
            } catch (const Error&) {  // the GPU is lost, and with it the memory
              return;
            }
            rank->forget_memory(data);
            free_for_nccl(data);
          }};
}

Buffer NcclAllocator::allocate(std::size_t bytes) {
  if (bytes < kLeastBytes || group_.size() == 1) return plain_.allocate(bytes);
  Buffer buffer = allocate_unregistered(bytes);
  // All ranks or none: the others would wait for a rank without such memory when they register theirs.
  const auto mine = static_cast<std::uint8_t>(buffer.data() != nullptr);
  if (std::ranges::count(all_gather_value(group_, mine), 0) > 0) {
    buffer = {};
    return plain_.allocate(bytes);
  }
  zero(buffer.data(), bytes);
  rank_->register_memory(buffer.data(), bytes);
  return buffer;
}

}  // namespace lockstep
