#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/hparams.h"
#include "model/initializer.h"
#include "model/layer.h"
#include "model/metric.h"
#include "tensor/batch.h"
#include "tensor/parameter_table.h"
#include "tensor/problem_shape.h"

namespace lockstep {

// Memory of a model's training passes beside the parameters: what the passes have computed, and the outputs that the
// loss looks at.
struct PassBytes {
  std::int64_t activations = 0;
  std::int64_t logits = 0;
  std::int64_t recomputed = 0;  // the total after Model::recompute(); 0: it would be no smaller

  std::int64_t total() const { return activations + logits; }
};

// What training sees of a model: variables, and passes over batches of rows. Declared for one problem, with a table
// that is fixed from construction on. One thread at a time; the values of the variables are a ParameterStore's.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  virtual const ParameterTable& table() const = 0;
  virtual const std::vector<Initializer>& initializers() const = 0;  // one a variable of the table

  // Rows of the longest sequence it can compute, as learned positions have an end; 0: it has none.
  virtual std::int64_t longest_sequence() const { return 0; }

  // From now on a forward pass keeps less for the backward pass, which computes it again: the same bits in less memory
  // and more time. Once, before the first pass. False: this model keeps everything, and goes on so.
  virtual bool recompute() { return false; }

  // What training passes over batches of up to so many rows, and as many of a source, will take, with products of that
  // type. Nothing: the model does not know.
  virtual std::optional<PassBytes> pass_bytes(std::int64_t /*rows*/, DType /*products*/) const { return {}; }

  // Forward pass, loss and metrics of a batch on the backend's device; the sums are on the host when it returns. While
  // training only what the loss gives is measured.
  virtual MetricSums forward(const Batch& batch, Pass& pass) = 0;
  // forward() of a training pass on a device that the host does not wait for: the loss's sums (kLossSums) float64,
  // there, until the next pass; and what a copy of them on the host says.
  virtual Tensor start_forward(const Batch& batch, Pass& pass) = 0;
  virtual MetricSums sums_of(std::span<const double> loss_sums) const = 0;
  // What the network predicts, on the host. values (B, outputs): the numbers, or the probabilities of the classes;
  // classes (B) of a problem of class labels: the most probable ones, of equals the lowest. The batch's targets are not
  // looked at, unless losses (B) of class labels are asked for: each row's, in float64 from the network's outputs.
  virtual void predict(const Batch& batch, Pass& pass, std::span<float> values, std::span<std::int32_t> classes,
                       std::span<double> losses = {}) = 0;
  // The backward pass of the forward() before: fills the gradients of the sum of weight * loss and calls
  // pass.on_gradient_ready over the whole store, also for an empty batch. Throws Error(internal) that names the layer
  // and its variables if a layer does not report its gradients. REQUIRES: both in Mode::train.
  virtual void backward(Pass& pass) = 0;
};

// Builds a model from a set of hparams for a problem's shape.
using ModelFactory = std::function<std::unique_ptr<Model>(const HParams&, const ProblemShape&)>;

}  // namespace lockstep
