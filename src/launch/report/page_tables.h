#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// The tables of a page, one column per run, as HTML: the facts of the runs, their confusion matrices and samples, the
// events of each, and how they were configured, with the differences between them first. Pure.
std::string page_tables(std::span<const Run> runs);

}  // namespace lockstep
