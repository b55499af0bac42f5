#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/hparams.h"
#include "model/layer.h"
#include "model/layer_memory.h"
#include "model/loss.h"
#include "model/model.h"

namespace lockstep {

// A network of layers, from the inputs of a batch to the problem's outputs, and a loss. Owns its layers.
class LayerModel final : public Model {
 public:
  // Throws Error(configuration) if the network's output does not fit the problem's. hparams choose the loss
  // (make_loss); all of them are optional.
  LayerModel(LayerPointer network, const ProblemShape& shape, const HParams& hparams = {});

  const ParameterTable& table() const override { return table_; }
  const std::vector<Initializer>& initializers() const override { return initializers_; }
  std::optional<PassBytes> pass_bytes(std::int64_t rows, DType products) const override;
  MetricSums forward(const Batch& batch, Pass& pass) override;
  Tensor start_forward(const Batch& batch, Pass& pass) override;
  MetricSums sums_of(std::span<const double> loss_sums) const override;
  void predict(const Batch& batch, Pass& pass, std::span<float> values, std::span<std::int32_t> classes,
               std::span<double> losses) override;
  void backward(Pass& pass) override;

 private:
  // Returns the loss's sums, and in an evaluation those of measure().
  Tensor compute(const Batch& batch, Pass& pass);
  void measure(Backend& backend, const Tensor& output, const Batch& batch, const Tensor& sums) const;

  LayerPointer network_;
  std::unique_ptr<Loss> loss_;
  ProblemShape::Target target_;
  Shape input_;   // shape of one sample
  Shape output_;  // shape of one sample
  ParameterTable table_;
  std::vector<Initializer> initializers_;
  Tensor output_gradient_;  // (B, outputs), of the last forward()
  LayerMemory gradient_memory_;
  LayerMemory sums_memory_;
};

}  // namespace lockstep
