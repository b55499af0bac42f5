#include "tensor/cuda/memory_books.h"

#include <utility>

namespace lockstep {

void MemoryBooks::free(const Piece& piece) {
  free_(piece.memory);
  held_ -= static_cast<std::int64_t>(piece.bytes);
}

void MemoryBooks::give_back(void* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (keeps_) return kept_.push_back({memory, bytes});
  free({memory, bytes});
}

void MemoryBooks::keep() {
  const std::lock_guard lock(mutex_);
  keeps_ = true;
}

void MemoryBooks::free_kept() {
  const std::lock_guard lock(mutex_);
  keeps_ = false;
  for (const Piece& piece : std::exchange(kept_, {})) free(piece);
}

}  // namespace lockstep
