#pragma once

#include <memory>
#include <string>
#include <vector>

#include "floor.h"
#include "model/layers.h"

// The networks of bench/step: those of the peers' scripts, layer for layer.
namespace lockstep::bench {

// What a layer took: every pass since clear(), in microseconds.
struct LayerTimes {
  std::string name;
  std::vector<double> forward_us;
  std::vector<double> backward_us;
  std::vector<FloorForms> forward_floor;  // its products
  std::vector<FloorForms> backward_floor;
};

struct Network {
  LayerPointer layers;  // made of layers that write down their times
  std::vector<std::unique_ptr<LayerTimes>> times;
  Shape input;
};

inline constexpr std::int64_t kClasses = 10;

// 784-512-512-10 with ReLU.
Network make_mlp(std::int64_t batch);
// 784-3344-3344-3344-10 with ReLU: 25 million parameters.
Network make_mlp_25m(std::int64_t batch);
// Keras' MNIST convnet: 3x3x32, ReLU, max pooling, 3x3x64, ReLU, max pooling, dropout 0.5, linear.
Network make_convnet(std::int64_t batch);

}  // namespace lockstep::bench
