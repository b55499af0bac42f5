#pragma once

#include <functional>

#include "model/model.h"

// Checks of backward passes that need no other derivation: gradients are compared with central differences, in float64
// on the CPU, for every element. The result is the largest difference, relative to the largest gradient: about 1e-9 for
// a correct layer (at most 1e-7, with a step of 1e-5 in float64), and above 1e-3 for a wrong one. It is finite: a NaN
// or an infinity, in an output or a gradient, is an Error(internal) instead, and so is a gradient that is added to or
// left unwritten (gradients are NaN before each pass, of which there are two), or not zero for an empty batch. For
// tests of your own layers and models; slow, so use few elements, in odd numbers.
namespace lockstep {

// Checks a layer by itself, newly made: the gradients of its input of this shape (of one sample), if asked for, and of
// its variables, away from their initial values. Throws Error(internal) if the layer does not do what model/layer.h
// asks for: it leaves its input alone, has the shapes that declare() gave, gives no gradient that is not needed, and
// reports its gradients as ready once, from the last variable to the first.
double layer_gradient_error(const std::function<LayerPointer()>& make_layer, const Shape& input,
                            InputGradient asked = InputGradient::needed);

// Checks all variables of a model. batch: inputs float64, or int32 for an embedding.
double gradient_error(Model& model, const Batch& batch);

}  // namespace lockstep
