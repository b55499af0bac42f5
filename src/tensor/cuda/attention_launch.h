#pragma once

#include <vector>

#include <device_code.h>
#include "tensor/cuda/attention_bfloat16.h"
#include "tensor/cuda/attention_call.h"
#include "tensor/cuda/attention_float32.h"

// Selects the kernel that is made for the arguments of attend and attend_backward.
namespace lockstep {

// Calls launch<Factors>() for factors of the shape's type and width. kLefts: number of matrices of which a block has
// its own rows.
template <int kLefts, class Launch>
void on_factors(const AttentionShape& shape, Launch launch) {
  const bool rounded = shape.factors == DType::bfloat16;
  if (shape.head_dim <= kChunkColumns) {
    if (rounded) return launch.template operator()<BFloat16Factors<1, kLefts>>();
    return launch.template operator()<Float32Factors<1, kLefts>>();
  }
  if (shape.head_dim <= 2 * kChunkColumns) {
    if (rounded) return launch.template operator()<BFloat16Factors<2, kLefts>>();
    return launch.template operator()<Float32Factors<2, kLefts>>();
  }
  if (rounded) return launch.template operator()<BFloat16Factors<4, kLefts>>();
  static_assert(kWidestHead == 4 * kChunkColumns);
  launch.template operator()<Float32Factors<4, kLefts>>();
}

template <class Factors>
Grid grid_of(const std::vector<AttentionBlock>& blocks, const AttentionShape& shape) {
  return {.blocks = static_cast<std::int64_t>(blocks.size()) * shape.heads, .threads = Factors::kThreads};
}

}  // namespace lockstep
