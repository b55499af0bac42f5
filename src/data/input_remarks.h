#pragma once

#include <string>
#include <vector>

#include "data/arrays/array_source.h"

namespace lockstep {

// Remarks on oddities of a training split's inputs, a line each: floats that look like pixels of 0 to 255, which are
// passed to the model as they are. Reads no more than the first block. REQUIRES: uint8 or floats.
std::vector<std::string> input_remarks(const ArraySource& inputs);

}  // namespace lockstep
