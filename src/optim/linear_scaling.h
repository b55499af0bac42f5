#pragma once

#include <cstdint>
#include <string>

#include "base/hparams.h"

namespace lockstep {

// Returns learning_rate_reference_batch with its default, 0: the rate does not depend on the batch.
HParams linear_scaling_hparams();

// The linear scaling rule of Goyal et al. 2017, section 2.1: k times the batch, k times the rate; and the gradual
// warm-up of section 2.2 from the rate to k times the rate, 5 epochs long unless learning_rate_warmup_steps says
// otherwise. Used if hparam learning_rate_reference_batch, the batch that learning_rate was found for, is not 0. No
// warm-up for k <= 1, nor in addition to another one. A plain value; any thread.
class LinearScaling {
 public:
  enum class OtherWarmup { none, factor };  // factor: the schedule warms up by a factor of its own
  struct Run {
    std::int64_t train_steps = 1;
    std::int64_t steps_per_epoch = 1;
    std::int64_t global_batch = 1;  // samples of an update, over all ranks
    std::int64_t workers = 1;       // ranks that make updates of their own, without waiting for each other
  };

  // Throws Error(usage) on a negative learning_rate_reference_batch. A set of hparams without it never scales.
  LinearScaling(const HParams& hparams, const Run& run, OtherWarmup other);

  // Multiplier of the rate of step `step` (from 1): k; in a warm-up it rises from 1 at its first step to k after it.
  double at(std::int64_t step) const;

  // A text: "linear scaling: global batch 1024 / 256 = learning rate x 4, after a warm-up of 590 steps"; "" if unused.
  const std::string& description() const { return description_; }

 private:
  double factor_ = 1;
  std::int64_t warmup_steps_ = 0;
  std::string description_;
};

}  // namespace lockstep
