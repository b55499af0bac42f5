#pragma once

#include <cstdint>
#include <string>

#include "base/hparams.h"
#include "checkpoint/state.h"
#include "train/config/result_config.h"

namespace lockstep {

// A checkpoint's description of the run that saved it. The caller owns what it refers to.
struct SavedRun {
  const std::string& file;  // path of the checkpoint
  const CheckpointHeader& header;
  const SavedConfig& config;
};

// Throws Error(bad_data) of every rank that names the attribute if a checkpoint's attributes disagree: model, problem,
// seed and hparams with the configuration saved next to them, the position in the data with the number of samples at
// that time and the batches that led to it. Such a file was changed by a program that did not know all of it, and a run
// could not rely on it.
//
// hparams, samples: this run's. A file whose configuration is empty, because no run has written it, is compared with
// these alone: the run must know its hparams. Pure.
void check_attributes(const SavedRun& from, const HParams& hparams, std::int64_t samples);

}  // namespace lockstep
