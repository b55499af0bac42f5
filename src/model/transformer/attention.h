#pragma once

#include <string>

#include "model/layer.h"
#include "model/layer_memory.h"
#include "model/transformer/transformer_options.h"

// The layers of attention: heads look for rows like their own, and average the values of these. Vaswani et al. 2017,
// section 3.2.2. Rows (B, hidden_size) of the sequences of the pass, in and out.
namespace lockstep {

// A layer's place: the name of its variables ("decoder/layer_0/self_attention"), and the number of layers in its stack.
struct StackPlace {
  std::string name;
  std::int64_t layers = 1;
};

enum class Sees { all, rows_before };  // rows of its own sequence: all of them, or itself and those before it

// Rows see rows of their own sequence. Queries, keys and values are one product: its kernel (d, 3 d) is tensor2tensor's
// three side by side, q/kernel, k/kernel and v/kernel, each with initial values of its own d x d.
LayerPointer make_self_attention(const TransformerOptions& options, const StackPlace& place, Sees sees);

// An encoder's output for the sources of a pass. Its rows are given before a forward pass of the layers that read them;
// their gradient is the sum of these layers' gradients in a backward pass, and nothing before that.
struct EncoderRows {
  Tensor rows{};  // (S, hidden_size)
  Tensor gradient{};
  LayerMemory gradient_memory{};

  void add_gradient(const Tensor& part, const Pass& pass);
};

// Rows see the rows of their sequence's source. Keys and values are one product, as above. The encoder's rows must
// outlive the layer.
LayerPointer make_cross_attention(const TransformerOptions& options, const StackPlace& place, EncoderRows& encoder);

}  // namespace lockstep
