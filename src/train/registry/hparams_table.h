#pragma once

#include <string>

#include "base/hparams.h"
#include "train/config/settings.h"
#include "train/registry/registry.h"

namespace lockstep {

// Table of a run's hparams for people: name, value and meaning, one per line, those that this run uses first. Pure.
std::string hparams_table(const TrainSettings& settings, const HParams& hparams, const Registry& registry);

}  // namespace lockstep
