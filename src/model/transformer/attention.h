#pragma once

#include <string>

#include "model/layer.h"
#include "model/layer_memory.h"
#include "model/transformer/transformer_options.h"

// The layers of attention: heads look for rows like their own, and take a mean of what these say. Vaswani et al. 2017,
// section 3.2.2. Rows (B, hidden_size) of the sequences of the pass, in and out.
namespace lockstep {

// Where a layer stands: the name of its variables ("decoder/layer_0/self_attention"), and the layers of its
// stack.
struct StackPlace {
  std::string name;
  std::int64_t layers = 1;
};

enum class Sees { all, rows_before };  // of a row's own sequence: all of it, or itself and what is before it

// Rows see rows of their own sequence. Queries, keys and values are one product: its kernel (d, 3 d) is tensor2tensor's
// three side by side, q/kernel, k/kernel and v/kernel, each of which starts with values of its own d x d.
LayerPointer make_self_attention(const TransformerOptions& options, const StackPlace& place, Sees sees);

// What an encoder has made of the sources of a pass. Its rows are given before a forward pass of the layers that look
// at them; their gradient is the sum of what these layers give in a backward pass, and nothing before that.
struct EncoderRows {
  Tensor rows{};  // (S, hidden_size)
  Tensor gradient{};
  LayerMemory gradient_memory{};

  void add_gradient(const Tensor& part, const Pass& pass);
};

// Rows see the rows of their sequence's source. Keys and values are one product, as above. The encoder's rows outlive
// the layer.
LayerPointer make_cross_attention(const TransformerOptions& options, const StackPlace& place, EncoderRows& encoder);

}  // namespace lockstep
