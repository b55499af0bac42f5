#pragma once

#include <vector>

#include "tensor/flat_range.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// The range of the flat store that each server owns: consecutive, none empty, together all of it.
//
// sliceable (the optimizer's update is element by element): ranges of whole alignment units that differ by at most one.
// Otherwise a range is one or more whole variables, and ranges differ by at most the largest variable with its padding.
//
// Throws Error(configuration) of every rank if there are more servers than such ranges.
std::vector<FlatRange> key_ranges(const ParameterTable& table, bool sliceable, int servers);

}  // namespace lockstep
