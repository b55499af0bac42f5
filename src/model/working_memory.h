#pragma once

#include <cstddef>
#include <vector>

#include "tensor/backend.h"

namespace lockstep {

// Temporary memory of passes, taken in pieces and given back in reverse order, as from a stack: layers that run one
// after the other share it. It grows to the most that was in use at once; after the first pass of the largest batch
// nothing is allocated. One thread; its maker owns it, and it must outlive the passes.
class WorkingMemory {
 public:
  // Returns memory with any contents, of which parts may have been given back before. Valid until the Frame ends in
  // which it was taken.
  Tensor take(Backend& backend, DType dtype, const Shape& shape);

  // Gives back, when it ends, what was taken since it began. Frames end in the reverse order of their beginnings.
  class Frame {
   public:
    explicit Frame(WorkingMemory* memory);  // null: nothing to give back
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    WorkingMemory* memory_;
    std::size_t buffer_ = 0;
    std::size_t used_ = 0;
    std::size_t taken_ = 0;
  };

 private:
  std::vector<Buffer> buffers_;  // one, except in passes in which it grows
  std::size_t buffer_ = 0;       // index of the one that pieces come from
  std::size_t used_ = 0;         // bytes of that buffer
  std::size_t taken_ = 0;        // bytes of all pieces
  std::size_t most_ = 0;         // largest taken_ so far
};

}  // namespace lockstep
