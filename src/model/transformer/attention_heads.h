#pragma once

#include <string>
#include <vector>

#include "model/dropout_draws.h"
#include "model/layer_memory.h"
#include "model/transformer/attention.h"
#include "model/transformer/transformer_options.h"

namespace lockstep {

// The products of an attention layer: for its input, `matrices` of queries, keys or values side by side, each
// initialized as one of its own; and for the output of the heads.
LayerPointer make_heads_input(const TransformerOptions& options, const std::string& name, std::int64_t matrices);
LayerPointer make_heads_output(const TransformerOptions& options, const StackPlace& place);

// The part of an attention layer between its products: heads of queries, keys and values, with dropout.
class AttentionHeads {
 public:
  AttentionHeads(const TransformerOptions& options, bool causal);

  // Called before the products are declared: streams of random numbers are counted in the order of declaration.
  void declare(Declaration& declaration) { draws_.layer = declaration.next_layer(); }
  // The keys that each query sees, to be set before forward(); backward() takes the same.
  std::vector<AttentionSequence>& sequences() { return sequences_; }
  // Returns (query rows, hidden_size).
  Tensor forward(const AttentionOperands& inputs, Pass& pass);
  // gradient: that of forward()'s result. Writes the inputs' gradients into `gradients`.
  void backward(const Tensor& gradient, const AttentionOperands& gradients, Pass& pass);

 private:
  AttentionDropout dropout(const Pass& pass) const;

  AttentionShape shape_;
  DropoutDraws draws_;
  std::vector<AttentionSequence> sequences_;
  AttentionOperands inputs_;
  Tensor output_;
  Tensor log_sums_;
  LayerMemory output_memory_;
  LayerMemory sums_memory_;
};

}  // namespace lockstep
