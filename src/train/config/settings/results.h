#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "model/metric.h"
#include "train/config/settings/step_numbers.h"
#include "train/config/train_setting.h"

namespace lockstep {

inline constexpr std::string_view kResumed[] = {"newest", "previous"};

// The hint for a user who names the checkpoint to resume from.
inline constexpr std::string_view kResumesByItself =
    "the flag is not needed: with the same --output_dir a run resumes by itself; to begin from a file: "
    "--warm_start_from=FILE";

// The names of all metrics.
inline constexpr auto kMetricNames = [] {
  std::array<std::string_view, std::size(kMetrics)> names;
  std::ranges::transform(kMetrics, names.begin(), &Metric::name);
  return names;
}();

inline constexpr TrainSetting kResultSettings[] = {
    {.name = "output_dir",
     .placeholder = "DIR",
     .help = "Checkpoints, metrics and logs are written here, and a run resumes from the checkpoint that is there; "
             "without it nothing is written. Also: --model_dir",
     .field = &TrainSettings::output_dir,
     .alias = "model_dir"},
    {.name = "save_checkpoints_steps",
     .placeholder = "STEPS",
     .help = "Save every this many steps, and at the end (default: every 1000 steps or 10 minutes, whichever comes "
             "first, and before an evaluation if the last save is 30 s old)",
     .field = &TrainSettings::save_steps,
     .least = 1,
     .most = kMaxStepNumber,
     .needs = "output_dir"},
    {.seldom = true,
     .name = "save_checkpoints_secs",
     .placeholder = "TIME",
     .help = "Save at this interval instead of by steps (600 = 600s, 30m, 1h30m, HH:MM:SS); 0 = no interval",
     .field = &TrainSettings::save_time,
     .if_unset = "0",
     .needs = "output_dir",
     .instead_of = "save_checkpoints_steps",
     .both_say = "when to save",
     .t2t_default = "0"},
    {.name = "keep_checkpoint_max",
     .placeholder = "N",
     .help =
         "Keep the newest N checkpoints; 0 = all (default: 20, or fewer if they would fill more than half of the disk)",
     .field = &TrainSettings::keep_checkpoints,
     .most = kMaxStepNumber,
     .if_unset = "20",
     .needs = "output_dir",
     .t2t_default = "20"},
    {.name = "keep_best",
     .placeholder = "METRIC",
     .help = "Keep the checkpoint of the best evaluation by this metric (accuracy, loss and others of metrics.jsonl) "
             "in best/, saved even if no save is due",
     .field = &TrainSettings::keep_best,
     .choices = kMetricNames,
     .needs = "output_dir"},
    {.seldom = true,
     .name = "resume",
     .placeholder = "WHICH",
     .help = "What to resume from if the newest checkpoint is damaged: newest = end with an error, previous = the one "
             "before",
     .field = &TrainSettings::resume,
     .choices = kResumed,
     .hint = [](std::string_view /*refused*/) { return kResumesByItself; },
     .kept = Kept::for_one_start,
     .needs = "output_dir"},
    {.seldom = true,
     .name = "allow_changes",
     .placeholder = "NAMES",
     .help = "Settings that may differ from the run that wrote the checkpoint although they change the result: "
             "--allow_changes=learning_rate,batch_size",
     .field = &TrainSettings::allow_changes,
     .kept = Kept::for_one_start,
     .needs = "output_dir"},
    {.seldom = true,
     .name = "histogram_every",
     .placeholder = "STEPS",
     .help = "Write histograms of all parameters and gradients for TensorBoard every this many steps; 0 = none",
     .field = &TrainSettings::histogram_every,
     .most = kMaxStepNumber,
     .needs = "output_dir"},
};

}  // namespace lockstep
