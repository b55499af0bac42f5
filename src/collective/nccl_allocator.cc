#include "collective/nccl_allocator.h"

#include <utility>

#include "collective/nccl_calls.h"
#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {
namespace {

// Smaller ones would take 2 MiB each for a copy that does not matter.
constexpr std::size_t kLeastBytes = 64 << 10;

// On a stream of its own, which others do not wait for: so wait here.
void zero(void* memory, std::size_t bytes) {
  const GpuStream stream = create_stream();
  zero_on_stream(memory, bytes, stream);
  synchronize_stream(stream);
  destroy_stream(stream);
}

}  // namespace

Buffer NcclAllocator::allocate(std::size_t bytes) {
  const int gpu = device().index;
  select_gpu(gpu);
  void* const memory = bytes < kLeastBytes || ranks_ == 1 ? nullptr : allocate_for_nccl(bytes);
  if (memory == nullptr) return plain_.allocate(bytes);
  Buffer buffer(memory, bytes, device(), [rank = rank_, gpu](void* data) {
    try {
      select_gpu(gpu);
    } catch (const Error&) {  // the GPU is lost, and with it the memory
      return;
    }
    rank->forget_memory(data);
    free_for_nccl(data);
  });
  zero(memory, bytes);
  rank_->register_memory(memory, bytes);
  return buffer;
}

}  // namespace lockstep
