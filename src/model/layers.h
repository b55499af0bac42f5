#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/layer.h"
#include "tensor/backend.h"

// The layers for writing a model: a model is a list of them, given to make_sequential.
namespace lockstep {

enum class LinearInit {
  glorot_uniform,
  he_uniform,      // for a layer before a ReLU
  tenth_of_glorot  // for a last layer: its first outputs are near 0, so that all classes are about equally likely
};

// y (B, outputs) = x (B, inputs) * kernel (inputs, outputs) + bias (outputs). An input of more axes is flattened. The
// next layer may overwrite y: the backward pass does not need it.
LayerPointer make_linear(std::int64_t outputs, LinearInit init);

// A linear layer with every option.
struct LinearOptions {
  std::int64_t outputs = 1;
  Initializer kernel{};  // its initial values
  std::string name{};    // prefix of its variables: "name/kernel"; "": linear and its number
  bool has_bias = true;
};
LayerPointer make_linear(const LinearOptions& options);

// y = f(x) of every element, any shape.
LayerPointer make_activation(Activation activation);

// Sets each element to 0 with probability rate and divides the others by 1 - rate while training (Srivastava et al.
// 2014, in the form that does not change evaluation). Draws depend on (seed, layer, step, sample, element) only.
LayerPointer make_dropout(double rate);

enum class Padding { valid, same };  // same: pads so that the output is ceil(input / stride), the odd row last

// Convolution of images (B, H, W, C) -> (B, OH, OW, filters); kernel (KH, KW, C, filters), bias (filters).
struct ConvolutionOptions {
  std::int64_t filters = 1;
  std::int64_t kernel_height = 3;
  std::int64_t kernel_width = 3;
  std::int64_t stride = 1;
  Padding padding = Padding::same;
  LinearInit init = LinearInit::he_uniform;
};
LayerPointer make_convolution(const ConvolutionOptions& options);

// Maximum or average of each window of images (B, H, W, C). Padding is left out of both.
struct PoolingOptions {
  Pooling pooling = Pooling::max;
  std::int64_t size = 2;
  std::int64_t stride = 2;
  Padding padding = Padding::valid;
};
LayerPointer make_pooling(const PoolingOptions& options);
LayerPointer make_global_average_pooling();  // (B, H, W, C) -> (B, C)

// Scales each position's channels (the last axis) to mean 0 and standard deviation 1, then applies a learned scale and
// shift: Ba, Kiros and Hinton 2016.
struct LayerNormOptions {
  double epsilon = 1e-5;  // added to the variance: the paper's, and small for useful inputs
  std::string name{};     // prefix of its variables: "name/scale"; "": layer_norm and its number
  bool has_shift = true;
  bool feeds_products = false;  // only products read the output, so it has their operand type
};
LayerPointer make_layer_norm(const LayerNormOptions& options = {});
// The same over all positions and one of `groups` groups of channels of a sample: Wu and He 2018.
LayerPointer make_group_norm(std::int64_t groups);

// Flattens each sample: (B, ...) -> (B, its elements).
LayerPointer make_flatten();

// ids (B, ...) int32 below vocabulary -> (B, ..., width), rows of a table (vocabulary, width). Must come first, as
// numbers of symbols have no gradient.
LayerPointer make_embedding(std::int64_t vocabulary, std::int64_t width);

// (x - mean) / stddev, one value per channel (the last axis): constants of the problem that are stored with the model.
// Must come first, as it gives no gradient for its input. A channel of standard deviation 0, which never varies, is
// only shifted.
LayerPointer make_standardization(std::vector<double> mean, std::vector<double> stddev);

// y = body(x) + shortcut(x); without a shortcut body(x) + x, and the body must keep the shape. He et al. 2016.
LayerPointer make_residual(LayerPointer body, LayerPointer shortcut = nullptr);

// All branches on the same input; their outputs are added, or concatenated on the last axis.
enum class Join { add, concatenate };
LayerPointer make_parallel(std::vector<LayerPointer> branches, Join join);

// Layers one after the other; the backward pass is theirs in reverse order. A ReLU before a maximum pooling is computed
// after it, with the same bits and on fewer elements, and an activation after a linear layer along with it; names and
// random numbers stay those of the list.
LayerPointer make_sequential(std::vector<LayerPointer> layers);

}  // namespace lockstep
