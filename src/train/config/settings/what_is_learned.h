#pragma once

#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr TrainSetting kWhatIsLearnedSettings[] = {
    {.seldom = true,
     .name = "warm_start_from",
     .placeholder = "FILE",
     .help = "Begin a new run with the parameters of this checkpoint, or of the newest one in this folder: step 0, and "
             "no optimizer state. A run that resumes from a checkpoint of its own ignores it",
     .field = &TrainSettings::warm_start_from,
     .scope = SettingScope::task},
    {.seldom = true,
     .name = "warm_start_partial",
     .help = "Load only the variables that have the same name and shape in both models, and initialize the others; "
             "without it, variables that differ are refused",
     .field = &TrainSettings::warm_start_partial,
     .needs = "warm_start_from"},
    {.seldom = true,
     .name = "ema",
     .placeholder = "DECAY",
     .help = "Evaluate the exponential moving average of the weights, with this decay: --ema=0.999",
     .field = &TrainSettings::ema,
     .number_limit = 1,
     .below_limit = true,  // 1 would keep the initial values forever
     .decides = Decides::result},
};

}  // namespace lockstep
