#pragma once

#include "tensor/allocator.h"

namespace lockstep {

// Memory of one GPU, by cudaMalloc: aligned to 256 bytes, zeroed before allocate() returns. Its buffers may be freed on
// any thread; freeing waits for the work that the GPU was given before. Any thread may call.
class CudaAllocator final : public Allocator {
 public:
  explicit CudaAllocator(int index) : device_{Device::Kind::cuda, index} {}
  Device device() const override { return device_; }
  Buffer allocate(std::size_t bytes) override;

 private:
  Device device_;
};

}  // namespace lockstep
