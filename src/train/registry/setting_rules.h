#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "train/config/train_setting.h"
#include "train/registry/registry.h"

namespace lockstep {

// The rows of the table that apply to this run: not those of another strategy or schedule, nor those that need a
// setting that is not given.
std::vector<const TrainSetting*> settings_in_use(const TrainSettings& settings, const Registry& registry);

// Returns whether two strategies both have this setting, or are the same: only then is it compared when a run of the
// one resumes a checkpoint of the other. An item of a checkpoint that is no strategy's own belongs to all. Strategies
// of a library that is not loaded have no settings.
bool both_have(std::string_view setting, const std::string& a, const std::string& b, const Registry& registry);

// The reason why a setting may not be given with the others. whole: `why` is the whole message; otherwise it follows
// "--name=value: ".
struct Refusal {
  std::string why;
  ExitCode code = ExitCode::usage;
  bool whole = false;
};

// Returns the text given for a setting, nothing if it was not given.
using GivenTexts = std::function<std::optional<std::string>(std::string_view name)>;

// Returns a refusal if a given setting has no meaning with the others, or contradicts them. REQUIRES: `given` has the
// setting, and its strategy exists.
std::optional<Refusal> refusal_of(const TrainSetting& setting, const GivenTexts& given, const Registry& registry);

}  // namespace lockstep
