#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "train/output/metrics_history.h"

namespace lockstep {

// A line on the steps that the run before this one had made but not saved when it was killed, as far as its
// metrics.jsonl and its lease show; "" if there were none. begun: the step that it was at according to its lease; 0:
// not known. resumed: the step of the checkpoint that this run begins with; none: there is none. Pure.
std::string describe_lost_steps(const MetricsHistory& history, std::int64_t begun, std::optional<std::int64_t> resumed);

}  // namespace lockstep
