#pragma once

#include <memory>
#include <string>
#include <vector>

#include "floor.h"
#include "model/model.h"

// The networks of bench/step: those of the peers' scripts, layer for layer.
namespace lockstep::bench {

// What a layer, or operations of one kind, took: every pass since clear(), in microseconds.
struct LayerTimes {
  std::string name;
  bool multiplies = false;  // what flop are counted of: products, convolutions, attention; only of operations
  std::vector<double> forward_us;
  std::vector<double> backward_us;
  std::vector<double> update_us;          // on a GPU
  std::vector<FloorForms> forward_floor;  // its products
  std::vector<FloorForms> backward_floor;
};

// What the rows of times are of.
enum class Rows { layers, operations };

struct NetworkSize {
  std::int64_t batch;
  std::int64_t length;  // of each sequence; networks of rows have none
  Rows rows;            // wanted; those whose layers cannot be timed one by one have rows of operations
};

struct Network {
  std::unique_ptr<Model> model;  // with Rows::layers, of layers that write down their times
  std::vector<std::unique_ptr<LayerTimes>> times;
  Rows rows = Rows::operations;
  ProblemShape shape;
  std::int64_t length = 0;  // of each sequence; 0: rows
};

inline constexpr std::int64_t kClasses = 10;

// 784-512-512-10 with ReLU.
Network make_mlp(const NetworkSize& size);
// 784-3344-3344-3344-10 with ReLU: 25 million parameters.
Network make_mlp_25m(const NetworkSize& size);
// Keras' MNIST convnet: 3x3x32, ReLU, max pooling, 3x3x64, ReLU, max pooling, dropout 0.5, linear.
Network make_convnet(const NetworkSize& size);
// The residual network of train --model=resnet, on images (32, 32, 3).
Network make_resnet(const NetworkSize& size);
// The language model of the hparams set lm_bench: 6 layers of 512, vocabulary 8192, sequences of up to 256.
Network make_lm(const NetworkSize& size);
// That of the set gpt2, vocabulary 50257, sequences of up to 1024, without dropout.
Network make_gpt2(const NetworkSize& size);

}  // namespace lockstep::bench
