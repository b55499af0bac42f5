#include "tensor/cuda/attention_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

// Same as the CPU's (tensor/cpu/attention_dropout.inc).
WeightDropout weight_dropout(const AttentionDropout& dropout) {
  if (dropout.rate == 0) return {};
  return {.drops = true,
          .threshold = static_cast<std::uint32_t>(std::lround(std::min(dropout.rate * 0x1p32, 0x1p32 - 1))),
          .kept = static_cast<float>(1 / (1 - dropout.rate)),
          .stream = dropout.stream,
          .row_ids = data_of<std::int64_t>(dropout.row_ids)};
}

}  // namespace

AttentionCall attention_call(const AttentionShape& shape, const AttentionDropout& dropout,
                             const AttentionOperands& inputs) {
  LS_CHECK(shape.head_dim <= kWidestHead,
           fmt::format("attention with heads of {} on a GPU, which takes up to {}", shape.head_dim, kWidestHead));
  return {.heads = static_cast<int>(shape.heads),
          .head_dim = static_cast<int>(shape.head_dim),
          .scale = static_cast<float>(shape.scale),
          .causal = shape.causal,
          .dropout = weight_dropout(dropout),
          .q = columns_of<const float>(inputs.q),
          .k = columns_of<const float>(inputs.k),
          .v = columns_of<const float>(inputs.v)};
}

}  // namespace lockstep
