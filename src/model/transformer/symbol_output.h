#pragma once

#include <memory>
#include <optional>
#include <span>

#include "model/layer_memory.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/transformer/transformer_options.h"

namespace lockstep {

// The end of a model of sequences: from each row (hidden_size) a logit for every symbol, its product with the symbol's
// row of a table, and soft-max cross-entropy of the targets. With label smoothing e, while training, the target's
// probability should be 1 - e and that of each other symbol e / (vocabulary - 1); the loss is reduced by its value at
// these probabilities (tensor2tensor, layers/common_layers.py, smoothing_cross_entropy).
class SymbolOutput {
 public:
  SymbolOutput(const TransformerOptions& options, std::int64_t vocabulary);

  // shared: the number of a table that others use and report as ready too; none: one of its own.
  void declare(Declaration& declaration, std::optional<int> shared);
  // rows (B, hidden_size), which the caller keeps unchanged until backward().
  MetricSums forward(const Tensor& rows, const Batch& batch, Pass& pass);
  // See Model::start_forward and Model::sums_of.
  Tensor start_forward(const Tensor& rows, const Batch& batch, Pass& pass);
  MetricSums sums_of(std::span<const double> loss_sums) const;
  // See Model::predict.
  void predict(const Tensor& rows, const Batch& batch, Pass& pass, std::span<float> values,
               std::span<std::int32_t> classes, std::span<double> losses);
  // Returns the gradient of the rows. Replaces the table's gradient, a shared one's as well.
  Tensor backward(Pass& pass);

 private:
  MetricSums train(const Tensor& rows, const Batch& batch, Pass& pass);
  MetricSums evaluate(const Tensor& rows, const Batch& batch, Pass& pass);
  Tensor logits_of(const Tensor& rows, Pass& pass);

  std::int64_t vocabulary_;
  std::int64_t width_;
  Initializer symbol_values_;
  std::unique_ptr<Loss> loss_;
  double entropy_ = 0;  // entropy of the smoothed target
  bool has_own_table_ = true;
  int table_ = 0;
  Tensor rows_;             // the caller's or a copy of it
  Tensor logits_gradient_;  // lies in the logits' memory
  LayerMemory rows_copy_;
  LayerMemory logits_memory_;
  LayerMemory sums_memory_;
  LayerMemory counts_memory_;  // memory of count_sequences_on()
  LayerMemory gradient_memory_;
};

}  // namespace lockstep
