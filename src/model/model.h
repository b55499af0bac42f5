#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/hparams.h"
#include "model/initializer.h"
#include "model/layer.h"
#include "model/layer_memory.h"
#include "model/loss.h"
#include "model/metric.h"
#include "tensor/batch.h"
#include "tensor/parameter_table.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// A network of layers and a loss, declared for one problem. Its table is fixed from construction on.
// One thread at a time; owns its layers, not the values of its variables (ParameterStore).
class Model {
 public:
  // Throws Error(configuration) if the network's output does not fit the problem's.
  // hparams choose the loss (make_loss); none of them need be there.
  Model(LayerPointer network, const ProblemShape& shape, const HParams& hparams = {});
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ParameterTable& table() const { return table_; }
  const std::vector<Initializer>& initializers() const { return initializers_; }

  // Forward pass, loss and metrics of a batch on the backend's device; the sums are on the host when it returns. While
  // training only what the loss gives is measured.
  MetricSums forward(const Batch& batch, Pass& pass);
  // What the network predicts, on the host. values (B, outputs): the numbers, or the probabilities of the classes;
  // classes (B) of a problem of class labels: the most probable ones, of equals the lowest. The batch's targets are not
  // looked at, unless losses (B) of class labels are asked for: each sample's, in float64 from the network's outputs.
  void predict(const Batch& batch, Pass& pass, std::span<float> values, std::span<std::int32_t> classes,
               std::span<double> losses = {});
  // The backward pass of the forward() before: fills the gradients of the sum of weight * loss and calls
  // pass.on_gradient_ready over the whole store, also for an empty batch. Throws Error(internal) that names the layer
  // and its variables if a layer does not report its gradients. REQUIRES: both in Mode::train.
  void backward(Pass& pass);

 private:
  void measure(Backend& backend, const Tensor& output, const Batch& batch, const Tensor& sums) const;

  LayerPointer network_;
  std::unique_ptr<Loss> loss_;
  ProblemShape::Target target_;
  ParameterTable table_;
  std::vector<Initializer> initializers_;
  Tensor output_gradient_;  // (B, outputs), of the forward() before
  LayerMemory gradient_memory_;
  LayerMemory sums_memory_;
};

// Builds a model from a set of hparams for a problem's shape.
using ModelFactory = std::function<std::unique_ptr<Model>(const HParams&, const ProblemShape&)>;

}  // namespace lockstep
