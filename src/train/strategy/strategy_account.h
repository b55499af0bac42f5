#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace lockstep {

// A strategy's account of a run at its end, beyond what every run tells: log lines, and members of the last line of
// metrics.jsonl.
struct StrategyAccount {
  std::vector<std::string> lines{};
  Json::Object members{};
};

}  // namespace lockstep
