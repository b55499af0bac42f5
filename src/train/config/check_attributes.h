#pragma once

#include <cstdint>
#include <string>

#include "base/hparams.h"
#include "checkpoint/state.h"
#include "train/config/result_config.h"

namespace lockstep {

// A checkpoint's description of the run that saved it. All are the caller's.
struct SavedRun {
  const std::string& file;  // its path
  const CheckpointHeader& header;
  const SavedConfig& config;
};

// Throws Error(bad_data) of every rank that names the attribute if a checkpoint's attributes disagree: model, problem,
// seed and hparams with the configuration saved next to them, the position in the data with the number of samples at
// that time and the batches that led to it. Such a file was changed by a program that did not know all of it, and a run
// could not rely on it.
//
// hparams, samples: this run's. They are for a file that no run has written (an empty configuration): its hparams must
// be ones that the run could parse. Pure.
void check_attributes(const SavedRun& from, const HParams& hparams, std::int64_t samples);

}  // namespace lockstep
