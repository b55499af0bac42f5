#pragma once

#include <memory>
#include <string>
#include <vector>

#include "floor.h"
#include "model/model.h"

// The networks of bench/step, the same layer for layer as in the peers' scripts.
namespace lockstep::bench {

// Times of one layer, or of operations of one kind, one per pass since they were last emptied, in microseconds.
struct LayerTimes {
  std::string name;
  bool multiplies = false;  // true for products, convolutions and attention; set for operations only
  std::vector<double> forward_us;
  std::vector<double> backward_us;
  std::vector<double> update_us;          // none on the CPU
  std::vector<FloorForms> forward_floor;  // floors of its products
  std::vector<FloorForms> backward_floor;
};

// Meaning of the rows of times.
enum class Rows { layers, operations };

struct NetworkSize {
  std::int64_t batch;
  std::int64_t length;  // symbols per sequence; unused by networks of rows
  Rows rows;            // the rows asked for; networks whose layers cannot be timed one by one have rows of operations
};

struct Network {
  std::unique_ptr<Model> model;  // with Rows::layers, made of layers that record their times
  std::vector<std::unique_ptr<LayerTimes>> times;
  Rows rows = Rows::operations;
  ProblemShape shape;
  std::int64_t length = 0;  // symbols per sequence; 0: rows
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
// The language model of the set gpt2, vocabulary 50257, sequences of up to 1024, without dropout.
Network make_gpt2(const NetworkSize& size);

}  // namespace lockstep::bench
