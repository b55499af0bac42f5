#pragma once

#include "train/config/settings/step_numbers.h"
#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr TrainSetting kWhatIsShownSettings[] = {
    {.name = "log_every",
     .placeholder = "STEPS",
     .help = "Log a training line every this many steps, on the screen and in metrics.jsonl; 0 = none. Also: "
             "--log_step_count_steps",
     .field = &TrainSettings::log_every,
     .alias = "log_step_count_steps",
     .most = kMaxStepNumber,
     .t2t_default = "100"},
    {.name = "quiet",
     .help = "Show warnings, errors and the result only",
     .field = &TrainSettings::quiet,
     .scope = SettingScope::process,
     .kept = Kept::for_one_start},
    {.name = "help", .help = "Show this text, and end; --help=all: with all flags"},
    {.name = "version", .help = "Show the version and what is built in, and end"},
};

}  // namespace lockstep
