#pragma once

#include "collective/communicator.h"
#include "data/input_statistics.h"
#include "data/problem.h"

namespace lockstep {

// Mean and standard deviation of the training split's inputs (data/input_statistics.h), each rank reading its part of
// them. The same bits on every rank, and for any number of ranks. COLLECTIVE. Throws what Problem::read throws, and
// Error(bad_data) for inputs that are not finite.
InputStatistics measure_inputs(Communicator& compute, const Problem& problem);

}  // namespace lockstep
