#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "train/config/train_setting.h"
#include "train/registry.h"

namespace lockstep {

// The rows of the table that have a meaning in this run: not what another strategy has, nor what needs a setting that
// is not given.
std::vector<const TrainSetting*> settings_in_use(const TrainSettings& settings, const Registry& registry);

// Why a setting may not be given with the others; whole is the message, else it is to follow "--name=value: ".
struct Refusal {
  std::string why;
  ExitCode code = ExitCode::usage;
  bool whole = false;
};

// The text a setting was given, nothing if it was not.
using GivenTexts = std::function<std::optional<std::string>(std::string_view name)>;

// Whether a setting that was given has no meaning with what else was given, or contradicts it. REQUIRES: given has
// the setting; a strategy that is there.
std::optional<Refusal> refusal_of(const TrainSetting& setting, const GivenTexts& given, const Registry& registry);

}  // namespace lockstep
