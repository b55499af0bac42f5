#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/hparams.h"
#include "model/initializer.h"
#include "model/layer.h"
#include "model/loss.h"
#include "tensor/batch.h"
#include "tensor/parameter_table.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// Sums over a batch, read back to the host.
struct LossSums {
  double loss = 0;     // sum of weight * loss
  double weight = 0;   // sum of weights
  double correct = 0;  // sum of weights of right predictions
};

// A network of layers and a loss, declared for one problem. Its table is fixed from construction on.
// One thread at a time; owns its layers, not the values of its variables (ParameterStore).
class Model {
 public:
  Model(LayerPointer network, std::unique_ptr<Loss> loss, const ProblemShape& shape);

  const ParameterTable& table() const { return table_; }
  const std::vector<Initializer>& initializers() const { return initializers_; }

  // Forward and loss; with Mode::train also backward, which fills the gradients of the sum of weight * loss and calls
  // pass.on_gradient_ready over the whole store, also for an empty batch. `before_backward` gets the loss sums
  // before the first range is ready. batch lies on the backend's device.
  LossSums train(const Batch& batch, Pass& pass, const std::function<void(const LossSums&)>& before_backward);
  LossSums evaluate(const Batch& batch, Pass& pass);

 private:
  Tensor forward(const Batch& batch, Pass& pass);

  LayerPointer network_;
  std::unique_ptr<Loss> loss_;
  ParameterTable table_;
  std::vector<Initializer> initializers_;
  std::int64_t outputs_;
  Buffer gradient_;  // of the network's output
  Buffer sums_;      // kLossSums float64 on the device
};

// Builds a model from a set of hparams for a problem's shape.
using ModelFactory = std::function<std::unique_ptr<Model>(const HParams&, const ProblemShape&)>;

}  // namespace lockstep
