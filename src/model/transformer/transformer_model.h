#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/model.h"
#include "model/transformer/attention.h"
#include "model/transformer/recomputed.h"
#include "model/transformer/sequence_input.h"
#include "model/transformer/symbol_output.h"
#include "model/transformer/transformer_options.h"

namespace lockstep {

// A decoder over the rows of a batch, after an encoder of the batch's source if the problem has one. The shared table
// of symbols is the first variable, and so the last whose gradient is ready: all parts add to it.
class TransformerModel final : public Model {
 public:
  // REQUIRES: a problem of sequences, whose outputs are the symbols of its vocabulary.
  TransformerModel(const TransformerOptions& options, const ProblemShape& shape);

  const ParameterTable& table() const override { return table_; }
  const std::vector<Initializer>& initializers() const override { return initializers_; }
  std::int64_t longest_sequence() const override { return longest_; }
  MetricSums forward(const Batch& batch, Pass& pass) override;
  Tensor start_forward(const Batch& batch, Pass& pass) override;
  MetricSums sums_of(std::span<const double> loss_sums) const override { return output_.sums_of(loss_sums); }
  void predict(const Batch& batch, Pass& pass, std::span<float> values, std::span<std::int32_t> classes,
               std::span<double> losses) override;
  void backward(Pass& pass) override;
  bool recompute() override {
    recomputation_.on = true;
    return true;
  }
  std::optional<PassBytes> pass_bytes(std::int64_t rows, DType products) const override;

 private:
  struct Encoder {
    SequenceInput input;
    LayerPointer stack;
    std::vector<SequenceRows> sequences{};  // sequences of the sources, as rows of their own
    EncoderRows rows{};                     // seen by the decoder
  };

  void declare(const TransformerOptions& options, const ProblemShape& shape);
  void encode(const Batch& batch, const Pass& pass);
  Tensor decode(const Batch& batch, const Pass& pass);  // -> (B, hidden_size)
  Pass encoder_pass(const Pass& pass) const;
  Pass decoder_pass(const Pass& pass) const;

  TransformerOptions options_;
  std::int64_t vocabulary_;
  std::int64_t longest_;
  ParameterTable table_;
  std::vector<Initializer> initializers_;
  Recomputation recomputation_;
  std::unique_ptr<Encoder> encoder_;  // null: none
  SequenceInput input_;
  LayerPointer decoder_;
  SymbolOutput output_;
  std::optional<int> shared_;  // table of symbols
  Batch batch_;                // batch of the last forward()
};

}  // namespace lockstep
