#include "train/workload/stop_while_reading.h"

#include <fmt/format.h>

#include "base/error.h"
#include "train/config/schedules.h"

namespace lockstep {

std::function<void()> stop_while_reading(const TrainSettings& settings, const StopSource& stop) {
  const Work work = schedule_kind(settings.schedule).work;
  if (stop.requested == nullptr || work == Work::follow) return {};
  // As at the end of training: a run without a folder, or one that would begin anew, must not be started again forever.
  const bool again = work == Work::train && !settings.output_dir.empty();
  return [&stop, again] {
    if (!stop.requested->load()) return;
    const ExitCode code = again || !stop.signal ? ExitCode::stopped : ended_by_signal(stop.signal());
    throw Error(code, fmt::format("asked to stop while the data were read, by {}: nothing was begun",
                                  stop.reason ? stop.reason() : "a request"));
  };
}

}  // namespace lockstep
