#pragma once

#include "base/json.h"

namespace lockstep {

// What every start line of metrics.jsonl has: version, started (UTC) and ranks.
Json::Object start_members(int ranks);

}  // namespace lockstep
