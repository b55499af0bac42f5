#pragma once

#include <cstdint>

#include "model/model.h"
#include "model/transformer/transformer_options.h"

namespace lockstep {

// Inputs of the memory estimate besides the model's options.
struct PassSizes {
  std::int64_t vocabulary = 0;
  std::int64_t rows = 0;
  std::int64_t source_rows = 0;  // 0: there is no encoder
  bool recomputed = false;
  DType products = DType::float32;
};

// The memory of the training passes of a model of transformer.h, except tables of positions and numbers per sequence or
// per variable. Pure arithmetic: it counts what the layers take.
PassBytes transformer_pass_bytes(const TransformerOptions& options, const PassSizes& sizes);

}  // namespace lockstep
