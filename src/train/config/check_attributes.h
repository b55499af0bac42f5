#pragma once

#include <cstdint>
#include <string>

#include "base/hparams.h"
#include "checkpoint/state.h"
#include "train/config/result_config.h"

namespace lockstep {

// What a checkpoint says of the run that saved it. Everything is the caller's.
struct SavedRun {
  const std::string& file;  // its path
  const CheckpointHeader& header;
  const SavedConfig& config;
};

// Throws Error(bad_data) of every rank that names the attribute if what a checkpoint says of itself does not agree:
// model, problem, seed and hparams with the configuration saved beside them, the place in the data with the number of
// samples there were and the batches that led to it. Such a file was changed by a program that did not know all of it,
// and what a run would take from it is anybody's guess.
//
// hparams, samples: this run's, for a file that no run has written (an empty configuration): its hparams must be ones
// that the run could parse. Pure.
void check_attributes(const SavedRun& from, const HParams& hparams, std::int64_t samples);

}  // namespace lockstep
