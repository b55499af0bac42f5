#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/dropout_draws.h"
#include "model/layer_memory.h"
#include "model/transformer/positions.h"
#include "model/transformer/transformer_options.h"

namespace lockstep {

// Turns symbols into the rows that a stack begins with: the symbol's row of a table, times a factor; for an encoder
// plus a row for the kind of its target (tensor2tensor's target space, of which there is one, number 0); the position;
// dropout. The padding symbol is zeros: it stands before the first symbol of a sequence.
class SequenceInput {
 public:
  enum class TargetSpace { no, yes };

  // name: prefix of its variables, "encoder".
  SequenceInput(const TransformerOptions& options, const std::string& name, std::int64_t vocabulary,
                TargetSpace target_space);

  // shared: the number of a table that others use and report as ready too; none: one of its own.
  void declare(Declaration& declaration, std::optional<int> shared);
  // symbols (B) int32 -> (B, hidden_size). The sequences are the pass's. positions (B): each row's in its sequence;
  // empty: counted from 0 on.
  Tensor forward(const Tensor& symbols, std::span<const std::int32_t> positions, Pass& pass);
  // gradient (B, hidden_size), which is overwritten. A shared table's gradient is added to, others are replaced.
  void backward(const Tensor& gradient, Pass& pass);

 private:
  void target_space_backward(const Tensor& gradient, Pass& pass) const;

  std::string name_;
  std::int64_t vocabulary_;
  std::int64_t width_;
  EmbeddingForm form_;
  Initializer symbol_values_;
  Initializer space_values_;
  SequencePositions positions_;
  DropoutDraws draws_;
  bool has_target_space_;
  bool has_own_table_ = true;
  int table_ = 0;
  int target_space_ = 0;
  Tensor symbols_;
  LayerMemory rows_memory_;
  LayerMemory zeros_memory_;
};

}  // namespace lockstep
