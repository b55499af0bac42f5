#pragma once

#include <string>
#include <vector>

#include "launch/tools/t2t_jobs.h"

namespace lockstep {

// What in these addresses will not work, though t2t-make-tf-configs takes it: an empty one, blanks, quotes, a missing
// or impossible port, one that occurs twice. Each names flag, address and cure. Pure.
std::vector<std::string> address_faults(const T2tAddresses& addresses);

}  // namespace lockstep
