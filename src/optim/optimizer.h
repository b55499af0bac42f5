#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/hparams.h"
#include "tensor/backend.h"
#include "tensor/shape.h"

namespace lockstep {

// The update of values by gradients, over flat spans: knows neither layers nor ranks. Has no state of its own, so any
// part of a store can be updated anywhere: the slots (velocity, moments) belong to the caller.
class Optimizer {
 public:
  enum class Decay { spared, decayed };
  // One array of the optimizer's state, as long as the values; with --shard_optimizer, as the values that a rank
  // updates.
  struct Slot {
    std::string name;
    bool non_negative = false;  // sums or means of squares: a checkpoint with a number below 0 there is damaged
  };
  struct Step {
    double learning_rate = 0;
    double gradient_factor = 1;     // turns gradients, which are sums, into what the update takes
    const double* device_factor{};  // a further factor on the device, if not null (tensor/update_steps.h)
    std::int64_t number = 1;        // training step, from 1
    Decay decay = Decay::decayed;   // decayed: weight decay applies to these values
    Shape shape{};                  // shape of the span's variable, unless sliceable(); a vector may have none
  };

  virtual ~Optimizer() = default;
  virtual const std::vector<Slot>& slots() const = 0;
  // True if an update of a part equals that part of an update of the whole: then a span may begin and end anywhere.
  // Otherwise a span is always one whole variable (layer-wise rates).
  virtual bool sliceable() const = 0;
  // Updates values and slots. These and the gradients are equal spans of flat stores; slots start as zeros.
  virtual void apply(Backend& backend, const Tensor& values, const Tensor& gradients, std::span<const Tensor> slots,
                     const Step& step) const = 0;
};

using OptimizerFactory = std::function<std::unique_ptr<Optimizer>(const HParams&)>;

// An optimizer chosen by name.
struct OptimizerKind {
  HParams hparams;  // the hparams that make() reads, with their defaults: every hparams set has them
  OptimizerFactory make;
};

}  // namespace lockstep
