#include "train/schedule/device_failure.h"

#include <fmt/format.h>

#include "train/schedule/restart.h"

namespace lockstep {

std::string describe_device_failure(const DeviceError& error, const TrainSettings& settings, const TrainingRank& rank) {
  const std::int64_t step = rank.trace.line().step;
  return fmt::format(
      "{}{} has failed{}: {}. {}, on this device once it is reset or on another one; `nvidia-smi` and `dmesg | grep "
      "Xid` on this host show the cause",
      rank.backend.description(), rank.device_id.empty() ? "" : fmt::format(" at PCI address {}", rank.device_id),
      step == 0 ? "" : fmt::format(" at step {}", step), error.what(), describe_restart(settings));
}

}  // namespace lockstep
