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
  std::vector<double> forward_us;
  std::vector<double> backward_us;
  std::vector<FloorForms> forward_floor;  // its products
  std::vector<FloorForms> backward_floor;
};

struct Network {
  std::unique_ptr<Model> model;  // of layers that write down their times, unless it is one of sequences
  std::vector<std::unique_ptr<LayerTimes>> times;
  ProblemShape shape;
  std::int64_t length = 0;  // of each sequence; 0: rows
};

inline constexpr std::int64_t kClasses = 10;

// 784-512-512-10 with ReLU.
Network make_mlp(std::int64_t batch);
// 784-3344-3344-3344-10 with ReLU: 25 million parameters.
Network make_mlp_25m(std::int64_t batch);
// Keras' MNIST convnet: 3x3x32, ReLU, max pooling, 3x3x64, ReLU, max pooling, dropout 0.5, linear.
Network make_convnet(std::int64_t batch);
// The language model of the hparams set lm_bench: 6 layers of 512, vocabulary 8192, sequences of 256.
Network make_lm(std::int64_t batch);
// That of the set gpt2, vocabulary 50257, sequences of 64, without dropout.
Network make_gpt2(std::int64_t batch);

}  // namespace lockstep::bench
