#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// Runs for a terminal: for several a table that compares them and one of the differences in their configuration; then
// the facts of each, the samples that its files show, and the curves. Plain ASCII, except for texts. Pure.
std::string runs_text(std::span<const Run> runs);

}  // namespace lockstep
