#pragma once

#include <cstdint>

#include "model/parameter_store.h"
#include "tensor/backend.h"

namespace lockstep {

// The exponential moving average of a model's weights (--ema): average += (1 - d) * (weights - average) after each
// update, known as Polyak averaging; Polyak and Juditsky 1992 for the mean, Tan and Le 2019 for its use in training.
// d grows to the decay during the first updates (optim/moving_average.h). A function of weights that are equal on all
// ranks is equal on all ranks.
class AveragedWeights {
 public:
  // Both outlive it. REQUIRES: 0 < decay < 1.
  AveragedWeights(Backend& backend, const ParameterStore& weights, double decay);

  void start(std::int64_t updates = 0);  // begins with the current weights, after so many updates
  void update();                         // to be called after the weights moved
  // Tells that someone else has filled parameters(), with the average after so many updates.
  void filled(std::int64_t updates) { updates_ = updates; }
  const ParameterStore& parameters() const { return average_; }  // values only
  std::int64_t updates() const { return updates_; }

 private:
  Backend& backend_;
  const ParameterStore& weights_;
  double decay_;
  std::int64_t updates_ = 0;
  ParameterStore average_;
};

}  // namespace lockstep
