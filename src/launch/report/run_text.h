#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// Runs for a terminal, in plain ASCII: of several a table that compares them, what is known of each, the samples that
// its files show, and the curves. Pure.
std::string runs_text(std::span<const Run> runs);

}  // namespace lockstep
