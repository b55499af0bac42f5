#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optim/optimizers.h"
#include "tensor/cpu/cpu_backend.h"

// Runs of an optimizer on gradients given by a formula.
namespace lockstep {

using OptimizerMaker = std::unique_ptr<Optimizer> (*)(const HParams&);

inline const std::vector<std::pair<std::string, OptimizerMaker>>& all_optimizers() {
  static const std::vector<std::pair<std::string, OptimizerMaker>> kAll{
      {"sgd", make_sgd},     {"momentum", make_momentum},  {"nesterov", make_nesterov}, {"adam", make_adam},
      {"adamw", make_adamw}, {"rmsprop", make_rmsprop},    {"adagrad", make_adagrad},   {"lamb", make_lamb},
      {"lars", make_lars},   {"adafactor", make_adafactor}};
  return kAll;
}

// Settings for all optimizers that are exact in float32.
inline HParams optimizer_hparams(double weight_decay = 0) {
  HParams hparams;
  hparams.set("weight_decay", weight_decay);
  hparams.set("optimizer_momentum_momentum", 0.75);
  hparams.set("optimizer_momentum_nesterov", false);
  hparams.set("optimizer_adam_beta1", 0.875);
  hparams.set("optimizer_adam_beta2", 0.96875);
  hparams.set("optimizer_adam_epsilon", 1.0 / 1024);
  hparams.set("optimizer_rmsprop_decay", 0.9375);
  hparams.set("optimizer_rmsprop_epsilon", 1.0 / 1024);
  hparams.set("optimizer_adagrad_epsilon", 1.0 / 1024);
  hparams.set("optimizer_lars_trust", 0.25);
  hparams.set("optimizer_adafactor_memory_exponent", 0.75);
  hparams.set("optimizer_adafactor_clipping_threshold", 0.5);
  return hparams;
}

// Values, gradients and slots of one span, which begins `offset` elements after a 64-byte boundary.
template <class T>
class OptimizerRun {
 public:
  OptimizerRun(const Optimizer& optimizer, std::vector<T> values, std::int64_t offset = 0)
      : optimizer_(optimizer), count_(static_cast<std::int64_t>(values.size())), offset_(offset) {
    for (std::size_t i = 0; i < 2 + optimizer.slots().size(); ++i) {
      buffers_.push_back(
          backend_->allocator().allocate((values.size() + static_cast<std::size_t>(offset)) * sizeof(T)));
    }
    std::copy(values.begin(), values.end(), tensor(0).template as<T>());
  }

  // Makes one step, with the span cut into [0, cut) and the rest.
  template <class Gradient>
  void step(Gradient gradient, const Optimizer::Step& step, std::int64_t cut = 0) {
    T* gradients = tensor(1).template as<T>();
    for (std::int64_t i = 0; i < count_; ++i) gradients[i] = static_cast<T>(gradient(i));
    for (const FlatRange range : {FlatRange{0, cut}, FlatRange{cut, count_}}) {
      if (range.empty()) continue;
      std::vector<Tensor> slots;
      for (std::size_t i = 2; i < buffers_.size(); ++i) slots.push_back(tensor(i).flat(range));
      optimizer_.apply(*backend_, tensor(0).flat(range), tensor(1).flat(range), slots, step);
    }
  }

  std::vector<T> values() const {
    const auto span = tensor(0).template span<T>();
    return {span.begin(), span.end()};
  }

 private:
  Tensor tensor(std::size_t buffer) const {
    return view(buffers_[buffer], dtype_of<T>(), {offset_ + count_}).flat({offset_, offset_ + count_});
  }

  std::unique_ptr<Backend> backend_ = make_cpu_backend();
  const Optimizer& optimizer_;
  std::int64_t count_;
  std::int64_t offset_;
  std::vector<Buffer> buffers_;  // values, gradients, slots
};

}  // namespace lockstep
