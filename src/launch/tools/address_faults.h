#pragma once

#include <string>
#include <vector>

#include "launch/tools/t2t_jobs.h"

namespace lockstep {

// The faults of addresses that t2t-make-tf-configs accepts but that will not work, such as an empty one, blanks,
// quotes, a missing or impossible port, one that occurs twice. Each names flag, address and cure. Pure.
std::vector<std::string> address_faults(const T2tAddresses& addresses);

}  // namespace lockstep
