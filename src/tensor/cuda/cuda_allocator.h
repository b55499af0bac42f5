#pragma once

#include <cstddef>
#include <memory>

#include "tensor/allocator.h"
#include "tensor/cuda/memory_books.h"

namespace lockstep {

// Memory of one GPU: aligned to 256 bytes, zeroed before allocate() returns. Its buffers may be freed on any thread,
// and outlive it; freeing waits for the work that the GPU was given before. Any thread may call.
class CudaAllocator final : public Allocator {
 public:
  explicit CudaAllocator(int index);
  Device device() const override { return device_; }
  Buffer allocate(std::size_t bytes) override;

  // For work that is put together between the two calls (memory_books.h).
  void keep_freed() { books_->keep(); }
  void free_kept() { books_->free_kept(); }

 private:
  Device device_;
  std::shared_ptr<MemoryBooks> books_;
};

// Host memory that is copied to and from a GPU without a detour, zeroed. Its buffers may be freed on any thread, and
// outlive it; freeing waits for the work that the GPU was given before. Any thread may call.
class PinnedAllocator final : public Allocator {
 public:
  explicit PinnedAllocator(int index);
  Device device() const override { return {}; }
  Buffer allocate(std::size_t bytes) override;

  // Same as CudaAllocator's.
  void keep_freed() { books_->keep(); }
  void free_kept() { books_->free_kept(); }

 private:
  int index_;
  std::shared_ptr<MemoryBooks> books_;
};

}  // namespace lockstep
