#pragma once

#include <cstdint>
#include <vector>

#include "model/layer.h"
#include "tensor/backend.h"

// The layers a model is written with: a model is a list of them, given to make_sequential.
namespace lockstep {

enum class LinearInit { glorot_uniform, he_uniform };  // he: in front of a ReLU

// y (B, outputs) = x (B, inputs) * kernel (inputs, outputs) + bias (outputs). An input of more axes is flattened.
LayerPointer make_linear(std::int64_t outputs, LinearInit init);

// y = f(x) of every element, any shape.
LayerPointer make_activation(Activation activation);

// Sets each element to 0 with probability rate and divides the others by 1 - rate while training (Srivastava et al.
// 2014, in the form that leaves evaluation alone). Draws depend on (seed, layer, step, sample, element) only.
LayerPointer make_dropout(double rate);

// One layer after the other; its backward pass is theirs in reverse order.
LayerPointer make_sequential(std::vector<LayerPointer> layers);

}  // namespace lockstep
