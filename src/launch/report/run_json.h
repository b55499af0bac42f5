#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// Runs for programs, as one JSON object that docs/following.md describes: every number of metrics.jsonl, in columns.
// Pure.
std::string runs_json(std::span<const Run> runs);

}  // namespace lockstep
