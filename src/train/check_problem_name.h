#pragma once

#include <string>

#include "train/registry.h"

namespace lockstep {

// Throws Error of every rank, usage, where the table has no problem of that name: of one of tensor2tensor's with the
// kind of data that it is and what is nearest here, else with the nearest name.
void check_problem_name(const std::string& name, const Registry& registry);

}  // namespace lockstep
