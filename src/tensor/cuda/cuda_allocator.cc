#include "tensor/cuda/cuda_allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {
namespace {

[[noreturn]] void out_of_memory(Device device, std::size_t bytes, std::int64_t held) {
  const GpuMemory memory = gpu_memory();
  const auto mib = [](auto count) { return static_cast<double>(count) / (1 << 20); };
  throw OutOfMemory(
      fmt::format("out of memory on {}: {:.1f} MiB asked for, {:.1f} of {:.1f} MiB free, {:.1f} MiB held by this rank. "
                  "Use a smaller batch or model, or a GPU that nobody else uses",
                  device.text(), mib(bytes), mib(memory.free), mib(memory.total), mib(held)));
}

void free_pinned_of(int gpu, void* memory) {
  try {
    select_gpu(gpu);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the GPU is lost, and writes nowhere
  }
  free_pinned(memory);
}

}  // namespace

CudaAllocator::CudaAllocator(int index)
    : device_{Device::Kind::cuda, index}, books_(std::make_shared<MemoryBooks>(&free_on_gpu)) {}

Buffer CudaAllocator::allocate(std::size_t bytes) {
  select_gpu(device_.index);
  // A byte at least, so that an empty buffer has an address as well.
  void* const data = allocate_on_gpu(std::max<std::size_t>(bytes, 1));
  if (data == nullptr) out_of_memory(device_, bytes, books_->held());
  books_->take(bytes);
  Buffer buffer(data, bytes, device_, [books = books_, bytes](void* memory) { books->give_back(memory, bytes); });
  // Zeroed on a stream of its own, which a backend's stream does not wait for: so it waits here.
  const GpuStream stream = create_stream();
  zero_on_stream(data, bytes, stream);
  synchronize_stream(stream);
  destroy_stream(stream);
  return buffer;
}

PinnedAllocator::PinnedAllocator(int index)
    : index_(index), books_(std::make_shared<MemoryBooks>([index](void* memory) { free_pinned_of(index, memory); })) {}

Buffer PinnedAllocator::allocate(std::size_t bytes) {
  select_gpu(index_);
  void* const data = allocate_pinned(std::max<std::size_t>(bytes, 1));
  if (data == nullptr) {
    throw OutOfMemory(fmt::format("out of memory on the host: {:.1f} MiB of pinned memory asked for",
                                  static_cast<double>(bytes) / (1 << 20)));
  }
  books_->take(bytes);
  std::memset(data, 0, bytes);
  return {data, bytes, device(), [books = books_, bytes](void* memory) { books->give_back(memory, bytes); }};
}

}  // namespace lockstep
