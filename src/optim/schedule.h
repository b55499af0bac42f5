#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hparams.h"
#include "optim/linear_scaling.h"
#include "optim/schedule_factors.h"

namespace lockstep {

// The hyperparameters of schedules, with their defaults. Some factors also read hidden_size, which is a model's.
HParams schedule_hparams();

// The learning rate as a function of the step: hparam learning_rate times the factors that learning_rate_schedule
// names, "constant*linear_warmup*cosine" (schedule_factors.h), times the linear scaling rule if it is asked for. With
// hparam learning_rate_root_of_workers it is divided by the square root of Run::workers, as tensor2tensor does in
// asynchronous training. A plain value; any thread.
class Schedule {
 public:
  // Inputs of a schedule besides its hparams.
  using Run = LinearScaling::Run;

  // Throws Error(usage) on an unknown factor, a value out of range, or an hparam that a factor needs and the set lacks.
  Schedule(const HParams& hparams, const Run& run);

  // The rate of the update that makes step `step`, counted from 1.
  double at(std::int64_t step) const;

  // The line to print when the rate follows from the batch or the number of ranks; "" when it does not.
  std::string description() const;

 private:
  double root_of_workers_;  // 1 if it is not asked for
  double learning_rate_;
  std::vector<ScheduleFactor> factors_;
  LinearScaling scaling_;
};

}  // namespace lockstep
