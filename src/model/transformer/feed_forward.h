#pragma once

#include "model/layer.h"
#include "model/transformer/attention.h"
#include "model/transformer/transformer_options.h"

namespace lockstep {

// Computes each row by itself (Vaswani et al. 2017, section 3.3): a linear layer to filter_size, an activation,
// dropout, and a linear layer back. Rows (B, hidden_size), in and out.
LayerPointer make_feed_forward(const TransformerOptions& options, const StackPlace& place);

}  // namespace lockstep
