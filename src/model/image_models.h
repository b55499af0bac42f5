#pragma once

#include <memory>

#include "model/model.h"

// Models for images and other float inputs of one fixed shape. All begin with a standardization if the problem's inputs
// are to be normalised. X_hparams() are the hyperparameters that make_X_model() reads, with their defaults. Mismatches
// are Errors of every rank: a problem's shape (configuration), an hparam out of range (usage).
namespace lockstep {

// One linear layer: logistic regression for class labels, linear regression for real targets. No hparams of its own.
std::unique_ptr<Model> make_linear_model(const HParams& hparams, const ProblemShape& shape);

// num_hidden_layers times (linear of hidden_size, activation, dropout), then a linear layer.
HParams mlp_hparams();
std::unique_ptr<Model> make_mlp_model(const HParams& hparams, const ProblemShape& shape);

// num_blocks times (convolution of kernel_size with `padding`, ReLU, 2x2 max pooling), num_filters in the first and
// twice as many in each that follows; dropout; if hidden_size is not 0 a linear layer of it, ReLU and dropout; a linear
// layer.
HParams convnet_hparams();
std::unique_ptr<Model> make_convnet_model(const HParams& hparams, const ProblemShape& shape);

// LeCun, Bottou, Bengio and Haffner 1998 ("LeNet-5"), in the form that is usual today: 5x5 convolutions of 6 and 16
// filters, tanh, 2x2 average pooling, linear layers of 120, 84 and the outputs. No hparams of its own.
std::unique_ptr<Model> make_lenet_model(const HParams& hparams, const ProblemShape& shape);

// A small residual network (He et al. 2016) with group norm: a 3x3 convolution of num_filters, then num_stages stages
// of num_blocks residual blocks, each stage with half the rows and columns and twice the filters of the one before;
// global average pooling, dropout, a linear layer.
HParams resnet_hparams();
std::unique_ptr<Model> make_resnet_model(const HParams& hparams, const ProblemShape& shape);

}  // namespace lockstep
