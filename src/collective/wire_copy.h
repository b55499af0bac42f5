#pragma once

#include "tensor/allocator.h"
#include "tensor/backend.h"
#include "tensor/flat_range.h"

namespace lockstep {

// An array in the type in which it travels between ranks: the array itself, or a copy in a 16-bit type that is sent in
// its place. The Backend converts, in the order of its operations: on a device the host does not wait. One thread.
class WireCopy {
 public:
  // whole: of the Backend, which outlives this. wire: its own type, or bfloat16 or float16 for a copy, which takes half
  // its memory, from that allocator. COLLECTIVE if the allocator is. REQUIRES, for a copy: float32.
  WireCopy(Allocator& memory, Backend& backend, const Tensor& whole, DType wire);

  // The array or copy that travels.
  const Tensor& tensor() const { return wire_; }
  // The part that travels of a range, rounded to nearest even if it is a copy.
  Tensor narrowed(FlatRange range) const;
  // Converts a range of what has arrived back into the array.
  void widen(FlatRange range) const;

 private:
  bool copies() const { return wire_.dtype() != whole_.dtype(); }

  Backend& backend_;
  Tensor whole_;
  Buffer memory_;
  Tensor wire_;  // shaped like whole_
};

}  // namespace lockstep
