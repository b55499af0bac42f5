#include "model/model.h"

#include <fmt/format.h>

#include <array>

namespace lockstep {

Model::Model(LayerPointer network, const ProblemShape& shape, const HParams& hparams)
    : network_(std::move(network)), loss_(make_loss(hparams, shape.target)) {
  Declaration declaration(table_, initializers_);
  const Shape output = network_->declare(shape.input, declaration);
  if (output != Shape{shape.outputs}) {
    throw Error(ExitCode::configuration,
                fmt::format("the model gives {} for each sample, the problem asks for {} numbers; end the model with "
                            "a linear layer of that many outputs",
                            output.text(), shape.outputs),
                Scope::every_rank);
  }
}

LossSums Model::forward(const Batch& batch, Pass& pass) {
  Backend& backend = pass.backend;
  const Tensor output = network_->forward(batch.inputs, pass);
  output_gradient_ = {};
  if (pass.mode == Pass::Mode::train) output_gradient_ = gradient_memory_.get(backend, output.dtype(), output.shape());
  const Tensor sums = sums_memory_.get(backend, DType::float64, {kLossSums});
  loss_->apply(backend, output, batch, output_gradient_, sums);

  std::array<double, kLossSums> host{};
  backend.copy(sums, Tensor(host.data(), DType::float64, {kLossSums}));
  backend.synchronize();
  return {.loss = host[0], .weight = host[1], .correct = host[2]};
}

void Model::backward(Pass& pass) {
  LS_CHECK(output_gradient_.shape().rank() == 2, "backward() without a forward() in training mode before it");
  network_->backward(output_gradient_, InputGradient::not_needed, pass);
}

}  // namespace lockstep
