#include "tensor/cuda/cuda_allocator.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "tensor/cuda/cuda_check.h"

namespace lockstep {
namespace {

[[noreturn]] void out_of_memory(Device device, std::size_t bytes) {
  cudaGetLastError();
  std::size_t free = 0;
  std::size_t total = 0;
  LS_CUDA(cudaMemGetInfo(&free, &total));
  constexpr double kMiB = 1 << 20;
  throw OutOfMemory(
      fmt::format("out of memory on {}: {:.1f} MiB asked for, {:.1f} of {:.1f} MiB free. Use a smaller batch "
                  "or model, or a GPU that nobody else uses",
                  device.text(), static_cast<double>(bytes) / kMiB, static_cast<double>(free) / kMiB,
                  static_cast<double>(total) / kMiB));
}

}  // namespace

Buffer CudaAllocator::allocate(std::size_t bytes) {
  LS_CUDA(cudaSetDevice(device_.index));
  void* data = nullptr;
  // A byte at least, so that an empty buffer has an address as well.
  const cudaError_t status = cudaMalloc(&data, std::max<std::size_t>(bytes, 1));
  if (status == cudaErrorMemoryAllocation) out_of_memory(device_, bytes);
  check_cuda(status, LS_HERE("cudaMalloc"));

  // The status of the free is of no use: it is the one of earlier work, which has its own check.
  Buffer buffer(data, bytes, device_, [](void* memory) { cudaFree(memory); });
  // Zeroed on CUDA's default stream, which a backend's stream does not wait for: so wait here.
  LS_CUDA(cudaMemset(data, 0, bytes));
  LS_CUDA(cudaStreamSynchronize(nullptr));
  return buffer;
}

}  // namespace lockstep
