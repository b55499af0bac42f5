#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep {

// The account of an allocator's memory, shared with its buffers. Any thread may call.
class MemoryBooks {
 public:
  // free: waits for the GPU's work, and throws nothing.
  explicit MemoryBooks(std::function<void(void*)> free) : free_(std::move(free)) {}
  ~MemoryBooks() { free_kept(); }
  MemoryBooks(const MemoryBooks&) = delete;
  MemoryBooks& operator=(const MemoryBooks&) = delete;

  std::int64_t held() const { return held_; }  // bytes
  void take(std::size_t bytes) { held_ += static_cast<std::int64_t>(bytes); }
  // Frees memory: at once or, after keep(), when free_kept() is called.
  void give_back(void* memory, std::size_t bytes);

  // Between keep() and free_kept(), work is put together that the GPU has not been given yet, and that may use freed
  // memory; and CUDA does not allow waiting for the GPU, as freeing must.
  void keep();
  void free_kept();

 private:
  struct Piece {
    void* memory;
    std::size_t bytes;
  };

  void free(const Piece& piece);

  std::function<void(void*)> free_;
  std::atomic<std::int64_t> held_ = 0;
  std::mutex mutex_;  // held while something is freed: keep() waits for that
  bool keeps_ = false;
  std::vector<Piece> kept_;  // given back, but not freed on the GPU
};

}  // namespace lockstep
