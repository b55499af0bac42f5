#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "tensor/allocator.h"

namespace lockstep {

// Memory of one GPU: aligned to 256 bytes, zeroed before allocate() returns. Its buffers may be freed on any thread,
// and outlive it; freeing waits for the work that the GPU was given before. Any thread may call.
class CudaAllocator final : public Allocator {
 public:
  explicit CudaAllocator(int index) : device_{Device::Kind::cuda, index} {}
  Device device() const override { return device_; }
  Buffer allocate(std::size_t bytes) override;

 private:
  Device device_;
  std::shared_ptr<std::atomic<std::int64_t>> held_ = std::make_shared<std::atomic<std::int64_t>>(0);  // bytes
};

// Host memory that copies to and from a GPU take without a detour, zeroed. Its buffers may be freed on any thread, and
// outlive it; freeing waits for the work that the GPU was given before. Any thread may call.
class PinnedAllocator final : public Allocator {
 public:
  explicit PinnedAllocator(int index) : index_(index) {}
  Device device() const override { return {}; }
  Buffer allocate(std::size_t bytes) override;

 private:
  int index_;
};

}  // namespace lockstep
