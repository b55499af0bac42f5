#include "launch/start/check_evaluator.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/printable.h"
#include "train/config/schedules.h"
#include "train/config/train_setting.h"

namespace lockstep {
namespace {

using Folder = std::optional<std::string>;

std::string folder_text(const Folder& folder) { return folder ? in_quotes(*folder) : "not given"; }

bool names_a_checkpoint(const GivenFlags& given) {
  const std::string schedule = given_value(given, "schedule").value_or("");
  return schedule == "evaluate" && given_value(given, "checkpoint_path");
}

}  // namespace

void check_evaluator(const FlagsOwner* chief, const FlagsOwner& evaluator, const std::string& told_by) {
  const Folder here = given_value(evaluator.given, "output_dir");
  const Folder of_chief = chief == nullptr ? here : given_value(chief->given, "output_dir");
  if (here != of_chief) {
    throw Error(ExitCode::configuration,
                fmt::format("--output_dir is {} on {} and {} on {}: an evaluator evaluates what the chief saves; {}",
                            folder_text(of_chief), chief->who, folder_text(here), evaluator.who,
                            of_chief ? "leave it out there, or give it the chief's" : "give it to the chief"),
                Scope::every_rank);
  }
  if (here || names_a_checkpoint(evaluator.given)) return;
  const std::string what = chief == nullptr
                               ? "a training run saves; give it --output_dir=DIR, the folder of that run"
                               : fmt::format(
                                     "the chief saves, and {} has no --output_dir; give it --output_dir=DIR, or leave "
                                     "the evaluator out of the job",
                                     chief->who);
  throw Error(ExitCode::usage,
              fmt::format("{} is an evaluator task by {}, and evaluates what {}", evaluator.who, told_by, what),
              Scope::every_rank);
}

}  // namespace lockstep
