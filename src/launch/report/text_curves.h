#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// The curves of runs in plain ASCII, one beneath the other. Those of several runs have the runs' names, and all of one
// chart the same axes, so that they can be compared by eye. Charts that say little are left out. Pure.
std::string text_curves(std::span<const Run> runs);

}  // namespace lockstep
