#pragma once

#include <string>

#include "launch/report/sample_tables.h"

namespace lockstep {

// A table for a page, its probabilities with a bar behind the number; or the line that says why it has no rows. Pure.
std::string samples_html(const SampleTable& table);

}  // namespace lockstep
