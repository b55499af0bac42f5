#pragma once

#include <string>

#include "model/layer.h"
#include "model/layer_memory.h"
#include "model/transformer/transformer_options.h"

// Multi-head attention: in each head, a row gets an average of values, weighted by how well the row's query matches
// their keys. Vaswani et al. 2017, section 3.2.2. Input and output are (B, hidden_size), with one row for each symbol
// of the sequences of the pass.
namespace lockstep {

// A layer's place: the prefix of its variables' names ("decoder/layer_0/self_attention"), and the number of layers in
// its stack, by which initial values are scaled.
struct StackPlace {
  std::string name;
  std::int64_t layers = 1;
};

enum class Sees { all, rows_before };  // what a row attends to: its whole sequence, or itself and earlier rows

// A row attends to rows of its own sequence. One product gives queries, keys and values: its kernel (d, 3 d), where d
// is hidden_size, is tensor2tensor's q/kernel, k/kernel and v/kernel side by side, each initialized as a d x d kernel.
LayerPointer make_self_attention(const TransformerOptions& options, const StackPlace& place, Sees sees);

// An encoder's output for the sources of a pass. The caller sets `rows` before a forward pass of the layers that read
// them, and empties `gradient`, in which the backward pass adds up these layers' gradients.
struct EncoderRows {
  Tensor rows{};  // (S, hidden_size): one row for each source symbol
  Tensor gradient{};
  LayerMemory gradient_memory{};

  void add_gradient(const Tensor& part, const Pass& pass);
};

// A row attends to the rows of its sequence's source. One product gives keys and values, as above. The encoder's rows
// must outlive the layer.
LayerPointer make_cross_attention(const TransformerOptions& options, const StackPlace& place, EncoderRows& encoder);

}  // namespace lockstep
