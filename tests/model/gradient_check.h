#pragma once

#include <functional>

#include "model/model.h"

namespace lockstep {

// Compares a model's gradients with central differences in float64, for every element of every variable: the largest
// difference, relative to the largest gradient. batch: inputs float64.
double gradient_error(Model& model, const Batch& batch);

// The same for the gradient that a layer gives for its input.
double input_gradient_error(const std::function<LayerPointer()>& make_layer, const Shape& input);

}  // namespace lockstep
