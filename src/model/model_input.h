#pragma once

#include <string_view>
#include <vector>

#include "model/layer.h"
#include "tensor/problem_shape.h"

// The beginning of the built-in models: the inputs they accept, and the layers before their first one.
namespace lockstep {

// The layers that every model of float inputs begins with: a standardization if the problem is normalised, else none.
// Inputs that are numbers of symbols are an Error(configuration) that names the model.
std::vector<LayerPointer> begin_network(std::string_view model, const ProblemShape& shape);

// The same for models of images: inputs other than (H, W, C), without a pixel, or that look like (C, H, W)
// (tensor/channel_order.h), are refused as well.
std::vector<LayerPointer> begin_image_network(std::string_view model, const ProblemShape& shape);

}  // namespace lockstep
