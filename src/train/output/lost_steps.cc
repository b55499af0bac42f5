#include "train/output/lost_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"

namespace lockstep {

std::string describe_lost_steps(const MetricsHistory& history, std::int64_t begun,
                                std::optional<std::int64_t> resumed) {
  const std::int64_t made = std::max(history.reached, begun - 1);
  const std::int64_t saved = resumed.value_or(0);
  if (history.ended || made <= saved) return "";
  const std::string reached =
      fmt::format("the run before this one ended without saving: it had made {} at least", counted(made, "step"));
  if (!resumed) return reached + ", and there is no checkpoint: training begins anew";
  return fmt::format("{}, and the newest checkpoint is of step {}: {} made again", reached, saved,
                     counted(made - saved, "step is", "steps are"));
}

}  // namespace lockstep
