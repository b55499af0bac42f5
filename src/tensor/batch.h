#pragma once

#include "tensor/tensor.h"

namespace lockstep {

// Samples of one share of a step, in host memory or on a device. A view: whoever made the batch owns the memory.
// B may be 0 (a rank without data takes part with weight 0).
struct Batch {
  Tensor inputs;      // (B, ...) float32, or int32 numbers of symbols
  Tensor targets;     // (B) int32 class labels, or (B, K) float32
  Tensor weights;     // (B) float32, 1 for a sample that counts
  Tensor sample_ids;  // (B) int64, global sample indices: what random numbers are keyed by

  std::int64_t size() const { return sample_ids.count(); }
};

}  // namespace lockstep
