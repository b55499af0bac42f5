#pragma once

#include <string>

#include "base/table.h"
#include "train/registry/problem_kind.h"

namespace lockstep {

// Throws Error(usage) of every rank if the table has no problem of that name. For a problem of tensor2tensor the
// message gives its kind of data and the nearest problem here, otherwise the nearest name.
void check_problem_name(const std::string& name, const Table<ProblemKind>& problems);

}  // namespace lockstep
