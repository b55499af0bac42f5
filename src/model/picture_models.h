#pragma once

#include <memory>

#include "model/model.h"

// Models for pictures and other inputs of one fixed shape.
namespace lockstep {

// One linear layer: logistic regression for class labels, linear regression for real targets. No hparams of its own.
std::unique_ptr<Model> make_linear_model(const HParams& hparams, const ProblemShape& shape);

// num_hidden_layers times (linear of hidden_size, activation, dropout), then a linear layer.
std::unique_ptr<Model> make_mlp_model(const HParams& hparams, const ProblemShape& shape);

}  // namespace lockstep
