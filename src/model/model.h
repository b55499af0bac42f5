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

// Bytes that a model's training passes need besides the parameters: for results of the passes, and for the outputs that
// the loss reads.
struct PassBytes {
  std::int64_t activations = 0;
  std::int64_t logits = 0;
  std::int64_t recomputed = 0;  // the total after Model::recompute(); 0: that would change nothing

  std::int64_t total() const { return activations + logits; }
};

// A model as training sees it: variables, and passes over batches of rows. Declared for one problem, with a table that
// is fixed from construction on. One thread at a time; a ParameterStore has the values of the variables.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  virtual const ParameterTable& table() const = 0;
  virtual const std::vector<Initializer>& initializers() const = 0;  // one per variable of the table

  // Rows of the longest sequence it can compute, as learned positions end; 0: no limit.
  virtual std::int64_t longest_sequence() const { return 0; }

  // Makes forward passes keep less for the backward pass, which computes it again: the same bits in less memory and
  // more time. Called once, before the first pass. Returns false if this model keeps everything anyway.
  virtual bool recompute() { return false; }

  // Memory of training passes over batches of up to this many rows, and as many of a source, with products of that
  // type. Nothing if the model does not know.
  virtual std::optional<PassBytes> pass_bytes(std::int64_t /*rows*/, DType /*products*/) const { return {}; }

  // Forward pass, loss and metrics of a batch on the backend's device; the sums are on the host on return. In training,
  // only the metrics that the loss gives are measured.
  virtual MetricSums forward(const Batch& batch, Pass& pass) = 0;
  // forward() of a training pass without waiting for the device: returns the loss's sums (kLossSums), float64, on the
  // device, valid until the next pass. sums_of() converts a copy of them on the host.
  virtual Tensor start_forward(const Batch& batch, Pass& pass) = 0;
  virtual MetricSums sums_of(std::span<const double> loss_sums) const = 0;
  // Predictions of the network, on the host. values (B, outputs): the numbers, or the probabilities of the classes;
  // classes (B) of a problem of class labels: the most probable ones, of equals the lowest. The batch's targets are not
  // read, unless losses (B) of class labels are asked for: each row's, in float64 from the network's outputs.
  virtual void predict(const Batch& batch, Pass& pass, std::span<float> values, std::span<std::int32_t> classes,
                       std::span<double> losses = {}) = 0;
  // The backward pass of the last forward(): fills the gradients of the sum of weight * loss and calls
  // pass.on_gradient_ready over the whole store, also for an empty batch. Throws Error(internal) that names the layer
  // and its variables if a layer does not report its gradients. REQUIRES: both in Mode::train.
  virtual void backward(Pass& pass) = 0;
};

// Builds a model from a set of hparams for a problem's shape.
using ModelFactory = std::function<std::unique_ptr<Model>(const HParams&, const ProblemShape&)>;

}  // namespace lockstep
