#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/hparams.h"

namespace lockstep {

// The learning rate as a function of the step: hparam learning_rate times the factors that learning_rate_schedule
// names, "constant*linear_warmup*cosine". A plain value; any thread.
class Schedule {
 public:
  // What a schedule depends on beside its hparams.
  struct Run {
    std::int64_t train_steps = 1;      // where cosine reaches zero
    std::int64_t steps_per_epoch = 1;  // for the warm-up of the linear-scaling rule
    std::int64_t global_batch = 1;     // samples of an update, over all ranks
  };
  // Throws Error(usage) on an unknown factor or a value out of range.
  Schedule(const HParams& hparams, const Run& run);

  // The rate of the update that makes step `step`, counted from 1.
  double at(std::int64_t step) const;

  static const std::vector<std::string>& factors();

 private:
  double learning_rate_;
  std::vector<std::function<double(std::int64_t)>> factors_;
};

}  // namespace lockstep
