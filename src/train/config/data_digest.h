#pragma once

#include <string>

#include "data/problem.h"

namespace lockstep {

// What distinguishes a split of one data set from that of another with as many samples: the beginning of the SHA-256
// over a few samples at fixed places, inputs and targets as the model gets them, as hexadecimal. Not all
// of them are looked at, so it is no proof of equality.
std::string data_digest(const Problem& problem, Split split);

}  // namespace lockstep
