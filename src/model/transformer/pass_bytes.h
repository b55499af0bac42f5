#pragma once

#include <cstdint>

#include "model/model.h"
#include "model/transformer/transformer_options.h"

namespace lockstep {

// What decides the memory of a model's training passes besides its options.
struct PassSizes {
  std::int64_t vocabulary = 0;
  std::int64_t rows = 0;
  std::int64_t source_rows = 0;  // 0: there is no encoder
  bool recomputed = false;
  DType products = DType::float32;
};

// The memory that a model of transformer.h takes for its training passes, but for tables of positions and numbers of a
// sequence or of a variable. Arithmetic alone: it counts what the layers take.
PassBytes transformer_pass_bytes(const TransformerOptions& options, const PassSizes& sizes);

}  // namespace lockstep
