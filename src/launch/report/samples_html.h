#pragma once

#include <string>

#include "launch/report/sample_tables.h"

namespace lockstep {

// A table for a page, its probabilities with a bar behind the number; or the line that says why it has no rows. Before
// it, if symbols stand for texts, the text above its predictions, the darker the larger the loss. Pure.
std::string samples_html(const SampleTable& table);

}  // namespace lockstep
