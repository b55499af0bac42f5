#pragma once

#include "base/json.h"

namespace lockstep {

// The members of every start line of metrics.jsonl: version, started (UTC) and ranks.
Json::Object start_members(int ranks);

}  // namespace lockstep
