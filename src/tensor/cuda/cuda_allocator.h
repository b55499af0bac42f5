#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tensor/allocator.h"

namespace lockstep {

// Memory of one GPU: aligned to 256 bytes, zeroed before allocate() returns. Its buffers may be freed on any thread,
// and outlive it; freeing waits for the work that the GPU was given before. Any thread may call.
class CudaAllocator final : public Allocator {
 public:
  explicit CudaAllocator(int index) : device_{Device::Kind::cuda, index} {}
  Device device() const override { return device_; }
  Buffer allocate(std::size_t bytes) override;

  // Between the two, work is put together that the GPU has not been given yet, and that may use what is freed: it is
  // freed at the end.
  void keep_freed() { books_->keep(); }
  void free_kept() { books_->free_kept(); }

 private:
  // Shared with the buffers.
  class Books {
   public:
    ~Books() { free_kept(); }
    std::int64_t held() const { return held_; }
    void take(std::size_t bytes) { held_ += static_cast<std::int64_t>(bytes); }
    void give_back(void* memory, std::size_t bytes);
    void keep();
    void free_kept();

   private:
    struct Piece {
      void* memory;
      std::size_t bytes;
    };

    void free(const Piece& piece);

    std::atomic<std::int64_t> held_ = 0;  // bytes
    std::mutex mutex_;
    bool keeps_ = false;       // guarded by mutex_, as the next
    std::vector<Piece> kept_;  // freed, but for the GPU
  };

  Device device_;
  std::shared_ptr<Books> books_ = std::make_shared<Books>();
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
