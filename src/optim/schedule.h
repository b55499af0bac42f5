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
  // train_steps: where cosine reaches zero. Throws Error(usage) on an unknown factor or a value out of range.
  Schedule(const HParams& hparams, std::int64_t train_steps);

  // The rate of the update that makes step `step`, counted from 1.
  double at(std::int64_t step) const;

  static const std::vector<std::string>& factors();

 private:
  double learning_rate_;
  std::vector<std::function<double(std::int64_t)>> factors_;
};

}  // namespace lockstep
