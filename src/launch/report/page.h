#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// One HTML page about runs that needs nothing else: tables of what is known, and the curves as JSON with the script
// that draws them. About 2000 points of a long curve are drawn (thinned()). Pure.
std::string report_page(std::span<const Run> runs);

}  // namespace lockstep
