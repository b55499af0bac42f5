#pragma once

#include <string>

#include "base/hparams.h"

namespace lockstep {

// Hyperparameters that every schedule reads.
inline HParams schedule_hparams(double rate, const std::string& schedule, std::int64_t warmup = 0) {
  HParams hparams;
  hparams.set("learning_rate", rate);
  hparams.set("learning_rate_schedule", schedule);
  hparams.set("learning_rate_warmup_steps", warmup);
  return hparams;
}

}  // namespace lockstep
