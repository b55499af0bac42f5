#pragma once

#include "collective/communicator.h"
#include "tensor/backend.h"
#include "tensor/flat_range.h"

namespace lockstep {

// Gradients in the type in which they travel: the gradients themselves, or a copy in a 16-bit type that is summed in
// their place. The Backend converts them, in the order of its operations: on a device the host does not wait. With one
// rank nothing travels, so there is no copy. One thread.
class WireGradients {
 public:
  // gradients: of the Backend, in memory of communicator.allocator(). wire: their own type, or bfloat16 or float16 for
  // a copy, which takes half their memory, from that allocator. COLLECTIVE if the allocator is. REQUIRES, for a copy:
  // float32.
  WireGradients(Communicator& communicator, Backend& backend, const Tensor& gradients, DType wire);

  // The tensor to sum for a range, rounded to nearest even if it is a copy.
  Tensor narrowed(FlatRange range) const;
  // Takes the sums of a range into the gradients. REQUIRES: narrowed(range) has been summed.
  void widen(FlatRange range) const;

 private:
  bool copies() const { return wire_.dtype() != gradients_.dtype(); }

  Backend& backend_;
  Tensor gradients_;
  Buffer memory_;
  Tensor wire_;  // shaped like gradients_
};

}  // namespace lockstep
