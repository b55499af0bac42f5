#pragma once

#include <cstddef>
#include <vector>

#include "tensor/backend.h"

namespace lockstep {

// Memory for what passes need for a while, taken in pieces and given back in the reverse order, as from a stack: layers
// that run one after the other have the same one. It grows to the most that was in use at once; after the first pass of
// the largest batch nothing is allocated. One thread; whoever makes it owns it, and it outlives the passes.
class WorkingMemory {
 public:
  // Holds anything: what lay there before is overwritten. Valid until the Frame ends in which it was taken.
  Tensor take(Backend& backend, DType dtype, const Shape& shape);

  // Gives back, at its end, what was taken since its beginning. Frames end in the reverse order of their beginnings.
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
  std::vector<Buffer> buffers_;  // one, but for the passes in which it grows
  std::size_t buffer_ = 0;       // that pieces come from
  std::size_t used_ = 0;         // bytes of it
  std::size_t taken_ = 0;        // bytes of all pieces
  std::size_t most_ = 0;         // of these at once, so far
};

}  // namespace lockstep
