#include "train/schedule/device_failure.h"

#include <fmt/format.h>

#include <optional>

#include "base/printable.h"
#include "checkpoint/directory.h"
#include "train/config/schedules.h"

namespace lockstep {
namespace {

// As checkpoint.json has it, which is written after the file that it names.
std::optional<std::int64_t> newest_checkpoint(const std::string& output_dir) {
  try {
    const auto index = CheckpointDirectory(output_dir, 0).index();
    if (index) return index->newest;
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the device's error is the one to report
  }
  return {};
}

std::string describe_restart(const TrainSettings& settings) {
  if (schedule_kind(settings.schedule).work != Work::train) return "Give the same command again";
  if (settings.output_dir.empty()) return "Without --output_dir nothing was saved: the same command starts anew";
  const std::string folder = escaped(settings.output_dir);
  if (const auto step = newest_checkpoint(settings.output_dir)) {
    return fmt::format("The newest checkpoint in {} is of step {}: the same command resumes from it", folder, *step);
  }
  return fmt::format("The same command resumes from the newest checkpoint in {}, if there is one", folder);
}

}  // namespace

std::string describe_device_failure(const DeviceError& error, const TrainSettings& settings, const TrainingRank& rank) {
  const std::int64_t step = rank.trace.line().step;
  return fmt::format(
      "{}{} has failed{}: {}. {}, on this device once it is reset or on another one; `nvidia-smi` and `dmesg | grep "
      "Xid` on this host show the cause",
      rank.backend.description(), rank.device_id.empty() ? "" : fmt::format(" at PCI address {}", rank.device_id),
      step == 0 ? "" : fmt::format(" at step {}", step), error.what(), describe_restart(settings));
}

}  // namespace lockstep
