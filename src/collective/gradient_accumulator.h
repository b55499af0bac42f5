#pragma once

#include <cstdint>
#include <optional>

#include "tensor/backend.h"
#include "tensor/flat_range.h"

namespace lockstep {

// Adds up the gradients of a rank's shares of one step, in their order, before anything is communicated: the backward
// pass writes each share's gradients over the last one's, this keeps the sum. With one share or none it does nothing
// and takes no memory, else as much as the gradients. One thread.
class GradientAccumulator {
 public:
  GradientAccumulator(Backend& backend, const Tensor& gradients, int shares);

  int shares() const { return shares_; }
  // Takes a range of a share once it is final. In the last share the gradients' range holds the sum over all shares on
  // return. REQUIRES: ranges of a share that touch, from the end of the store down to 0.
  void add(int share, FlatRange range);
  bool is_last(int share) const { return share + 1 == shares_; }

 private:
  Backend& backend_;
  Tensor gradients_;
  int shares_;
  Buffer memory_;
  Tensor sums_;  // shaped like gradients_
};

}  // namespace lockstep
