#pragma once

#include <string>
#include <string_view>

#include "base/hparams.h"
#include "train/config/settings.h"
#include "train/registry.h"

namespace lockstep {

// The hparams that every set has, so that --hparams can only change what is there: what training itself asks for, and
// the defaults of the loss, of augmentation, of batches of sequences, of the schedule and of every optimizer and
// strategy in the registry, whichever one is chosen. Throws Error(configuration) if one of these gives a name that
// another part has a different default.
HParams default_hparams(const Registry& registry);

// A whole set: the defaults, and what the registry's entry of this name changes or adds. Throws Error(usage) that names
// the nearest one.
HParams hparams_set(const Registry& registry, std::string_view name);

// The model that a set is for, as its name says that begins with the model's, or with what other programs call it:
// transformer_lm of "gpt2". "": it says none.
std::string model_of_set(const Registry& registry, std::string_view set);

// The hparams of a run: the set that the settings name, with their overrides. Throws Error(usage) also for a model or
// problem that does not exist: what the command line says is checked before anything is started.
HParams resolve_hparams(const TrainSettings& settings, const Registry& registry);

// The hparams of a saved run, from the JSON that its checkpoint has, with the settings' overrides; the settings' own
// set instead, if the user gave one. REQUIRES: the settings' model is the checkpoint's. Throws Error(usage).
HParams saved_hparams(const TrainSettings& settings, std::string_view json, const Registry& registry);

}  // namespace lockstep
