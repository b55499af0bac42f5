#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// Runs for a terminal: of several a table that compares them and one of what differs in their configuration, what is
// known of each, the samples that its files show, and the curves. Plain ASCII, but for what texts have. Pure.
std::string runs_text(std::span<const Run> runs);

}  // namespace lockstep
