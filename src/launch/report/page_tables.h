#pragma once

#include <span>
#include <string>

#include "launch/report/run.h"

namespace lockstep {

// The tables of a page, a column a run, as HTML: what is known of the runs, their confusion matrices and samples, what
// happened to each, and how they were configured, with what differs between them first. Pure.
std::string page_tables(std::span<const Run> runs);

}  // namespace lockstep
