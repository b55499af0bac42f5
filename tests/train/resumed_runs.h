#pragma once

#include <doctest/doctest.h>

#include <string>

#include "train_rank.h"

namespace lockstep {

// Settings with all state that decides how training continues: dropout, momentum, a moving average, clipping.
inline TrainSettings rich_settings(const std::string& hparams = "hidden_size=24,optimizer=adam,dropout=0.1") {
  TrainSettings settings = small_settings();
  settings.hparams = hparams + ",learning_rate=0.01,learning_rate_schedule=constant,clip_grad_norm=1.0";
  settings.ema = 0.9;
  settings.save_steps = 6;
  return settings;
}

// Trains to `step` and leaves a checkpoint there.
inline TestRun train_to(const RankContext& rank, TrainSettings settings, const std::string& folder, std::int64_t step) {
  settings.output_dir = folder;
  settings.train_steps = step;
  return train_rank(rank, settings);
}

inline void check_same(const TestRun& run, const TestRun& expected) {
  CHECK(run.outcome.parameters_sha256 == expected.outcome.parameters_sha256);
  CHECK(run.outcome.evaluation["loss"].mean == expected.outcome.evaluation["loss"].mean);  // of the moving average
  CHECK(run.losses == expected.losses);                                                    // each step once
}

}  // namespace lockstep
