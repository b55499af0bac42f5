#pragma once

#include <string>
#include <string_view>

#include "base/hparams.h"
#include "train/config/settings.h"
#include "train/registry/registry.h"

namespace lockstep {

// The hparams that every set has, so that --hparams can only change what exists: those of training itself, and the
// defaults of the loss, of augmentation, of batches of sequences, of the schedule and of every optimizer and strategy
// in the registry, whichever is chosen. Throws Error(configuration) if one of these gives a name another default than
// another part does.
HParams default_hparams(const Registry& registry);

// A complete set: the defaults, with the changes and additions of the registry's entry of this name. Throws
// Error(usage) with the nearest name if there is no such entry, and what default_hparams() throws.
HParams hparams_set(const Registry& registry, std::string_view name);

// The model that a set is for: the set's name begins with the model's name, or with other programs' name for it:
// transformer_lm for "gpt2". "" if there is no such model.
std::string model_of_set(const Registry& registry, std::string_view set);

// The hparams of a run: the set that the settings name, with their overrides. Throws as hparams_set() does, and
// Error(usage) also for a model, problem or communicator that does not exist, so that the command line is checked
// before anything starts.
HParams resolve_hparams(const TrainSettings& settings, const Registry& registry);

// The hparams of a saved run, from the JSON that its checkpoint has, with the settings' overrides; the settings' own
// set instead, if the user gave one. REQUIRES: the settings' model is the checkpoint's. Throws Error(usage).
HParams saved_hparams(const TrainSettings& settings, std::string_view json, const Registry& registry);

}  // namespace lockstep
