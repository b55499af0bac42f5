#include "train/schedule/restart.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/printable.h"
#include "checkpoint/directory.h"
#include "train/config/run_config.h"
#include "train/config/schedules.h"

namespace lockstep {
namespace {

// The newest checkpoint according to checkpoint.json, which is written after the file that it names.
std::optional<std::int64_t> newest_checkpoint(const std::string& output_dir) {
  try {
    const auto index = CheckpointDirectory(output_dir).index();
    if (index) return index->newest;
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the failure is what is to be reported
  }
  return {};
}

}  // namespace

std::string describe_restart(const TrainSettings& settings) {
  if (schedule_kind(settings.schedule).work != Work::train) return "Give the same command again";
  if (settings.output_dir.empty()) return "Without --output_dir nothing was saved: the same command starts anew";
  const std::string folder = escaped(settings.output_dir);
  if (const auto step = newest_checkpoint(settings.output_dir)) {
    return fmt::format("The newest checkpoint in {} is of step {}: the same command resumes from it", folder, *step);
  }
  std::error_code unknown;  // hosts that do not see the chief's folder have one with their own logs
  if (std::filesystem::exists(std::filesystem::path(settings.output_dir) / kConfigFile, unknown)) {
    return fmt::format("There is no checkpoint in {} yet: the same command starts anew", folder);
  }
  return fmt::format("The same command resumes from the newest checkpoint in {}, if there is one", folder);
}

}  // namespace lockstep
