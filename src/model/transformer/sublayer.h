#pragma once

#include <string>

#include "model/layer.h"
#include "model/transformer/transformer_options.h"

namespace lockstep {

// tensor2tensor's steps around each layer of a stack (layer_preprocess_sequence, layer_postprocess_sequence), on rows
// (B, hidden_size), with x the input:
//   n / da       x + dropout(body(norm(x)))
//   none / dan   norm(x + dropout(body(x)))
// `name` is the prefix of the norms' variables. The body keeps the shape, and begins and ends with linear layers:
// beyond the rules of model/layer.h it leaves the gradient of its output as it is, which is the gradient of x as well,
// and its output may be overwritten, since the sum takes its place. The gradient of x takes the place of the output's.
LayerPointer make_sublayer(const TransformerOptions& options, const std::string& name, LayerPointer body);

}  // namespace lockstep
