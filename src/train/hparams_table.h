#pragma once

#include <string>

#include "base/hparams.h"
#include "train/config/settings.h"
#include "train/registry.h"

namespace lockstep {

// The hparams of a run for people: name, value and meaning, a line each, those that this run uses first. Pure.
std::string hparams_table(const TrainSettings& settings, const HParams& hparams, const Registry& registry);

}  // namespace lockstep
