#pragma once

#include <optional>
#include <string>

#include "collective/communicator.h"
#include "collective/mpi/mpi_session.h"
#include "train/config/training_rank.h"

namespace lockstep {

// The windows that the ranks of a world can make; none without MPI. has_windows: all of them have started MPI for some
// (StartPlan). The session outlives the result. COLLECTIVE.
ServedWindows served_windows(MpiSession* session, Communicator& world, bool has_windows);

// ServedWindows::doubt. open_mpi: the major version; nothing for another MPI. is_ours: Lockstep has chosen the
// one-sided component, on all ranks. Pure.
std::string doubt_of_windows(std::optional<int> open_mpi, bool is_ours);

}  // namespace lockstep
