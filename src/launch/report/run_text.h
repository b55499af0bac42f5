#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// Runs for a terminal, one after the other: what is known of each, and its curves in plain ASCII. Pure.
std::string runs_text(std::span<const Run> runs);

}  // namespace lockstep
