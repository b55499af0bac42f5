#include "model/layer_model.h"

#include <fmt/format.h>

#include <array>

#include "model/class_predictions.h"
#include "model/gradient_order.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMetricSums = 2;  // after the loss's: in the top 5, or squared and absolute error

}  // namespace

LayerModel::LayerModel(LayerPointer network, const ProblemShape& shape, const HParams& hparams)
    : network_(std::move(network)),
      loss_(make_loss(hparams, shape.target)),
      target_(shape.target),
      input_(shape.input),
      output_{shape.outputs} {
  Declaration declaration(table_, initializers_);
  const Shape output = network_->declare(shape.input, declaration);
  if (output != output_) {
    throw Error(ExitCode::configuration,
                fmt::format("the model gives {} for each sample, the problem asks for {} numbers; end the model with "
                            "a linear layer of that many outputs",
                            output.text(), shape.outputs),
                Scope::every_rank);
  }
}

std::optional<PassBytes> LayerModel::pass_bytes(std::int64_t rows, DType products) const {
  const LayerPlace place{
      .input = input_, .output = output_, .input_gradient = InputGradient::not_needed, .products = products};
  return PassBytes{.activations = rows * network_->bytes_per_sample(place), .logits = rows * sample_bytes(output_)};
}

Tensor LayerModel::compute(const Batch& batch, Pass& pass) {
  Backend& backend = pass.backend;
  const bool training = pass.mode == Pass::Mode::train;
  pass.sequences = batch.sequences;
  const Tensor output = network_->forward(batch.inputs, pass);
  output_gradient_ = {};
  if (training) output_gradient_ = gradient_memory_.get(backend, output.dtype(), output.shape());
  const Tensor sums = sums_memory_.get(backend, DType::float64, {kLossSums + kMetricSums});
  loss_->apply(backend, output, batch, output_gradient_, sums.flat({0, kLossSums}));
  if (!training) measure(backend, output, batch, sums.flat({kLossSums, kLossSums + kMetricSums}));
  return sums;
}

Tensor LayerModel::start_forward(const Batch& batch, Pass& pass) { return compute(batch, pass).flat({0, kLossSums}); }

MetricSums LayerModel::sums_of(std::span<const double> loss_sums) const {
  MetricSums result{.weight = loss_sums[1]};
  result["loss"] = loss_sums[0];
  if (target_ == ProblemShape::Target::class_label) result["accuracy"] = loss_sums[2];
  return result;
}

MetricSums LayerModel::forward(const Batch& batch, Pass& pass) {
  Backend& backend = pass.backend;
  const Tensor sums = compute(batch, pass);
  // One copy, so that the host waits for the device only once.
  std::array<double, kLossSums + kMetricSums> host{};
  const std::int64_t count = pass.mode == Pass::Mode::train ? kLossSums : kLossSums + kMetricSums;
  backend.copy(sums.flat({0, count}), Tensor(host.data(), DType::float64, {count}));
  backend.synchronize();
  MetricSums result = sums_of(std::span(host).first(kLossSums));
  if (target_ == ProblemShape::Target::class_label) {
    result["top5_accuracy"] = host[3];
  } else {
    result["mean_squared_error"] = host[3];
    result["mean_absolute_error"] = host[4];
  }
  return result;
}

void LayerModel::predict(const Batch& batch, Pass& pass, std::span<float> values, std::span<std::int32_t> classes,
                         std::span<double> losses) {
  pass.sequences = batch.sequences;
  const Tensor output = network_->forward(batch.inputs, pass);
  const bool labels = target_ == ProblemShape::Target::class_label;
  if (!labels) loss_->to_predictions(pass.backend, output);
  pass.backend.copy(output, Tensor(values.data(), DType::float32, output.shape()));
  pass.backend.synchronize();
  if (labels) predict_classes(*loss_, pass.backend, batch.targets, values, classes, losses);
}

void LayerModel::measure(Backend& backend, const Tensor& output, const Batch& batch, const Tensor& sums) const {
  if (target_ == ProblemShape::Target::class_label) {
    backend.count_in_top(5, output, batch.targets, batch.weights, sums.flat({0, 1}));
  } else {
    loss_->to_predictions(backend, output);  // overwrites the outputs: an evaluation has no backward pass
    backend.regression_errors(output, batch.targets, batch.weights, sums);
  }
}

void LayerModel::backward(Pass& pass) {
  LS_CHECK(is_given(output_gradient_), "backward() without a forward() in training mode before it");
  GradientOrder order(table_);
  Pass watched = pass.without_listener();
  watched.on_gradient_ready = [&](FlatRange range) {
    order.ready(range);
    if (pass.on_gradient_ready) pass.on_gradient_ready(range);
  };
  network_->backward(output_gradient_, InputGradient::not_needed, watched);
  order.finish();
}

}  // namespace lockstep
