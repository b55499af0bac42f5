#pragma once

#include <string>

#include "tensor/problem_shape.h"

namespace lockstep {

// How the vocabulary of a problem differs from that of a checkpoint `file`, in words; "" if it does not, or if one of
// them has none. Throws Error(bad_data) of every rank if the checkpoint's cannot be read.
std::string vocabulary_change(const std::string& file, const ProblemShape& saved, const ProblemShape& here);

}  // namespace lockstep
