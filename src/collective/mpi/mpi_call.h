#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/error.h"
#include "collective/mpi/mpi_sums.h"

// A header for the .cc files that call MPI. No other header includes this one.
namespace lockstep {

struct MpiHandles {
  MPI_Comm world = MPI_COMM_NULL;  // the world that was formed
  MPI_Comm host = MPI_COMM_NULL;   // the ranks that share this host's memory
  MpiSums sums;
};

// Throws Error(internal) with the call, its count (elements, bytes or pieces) and MPI's text, unless code is success.
void check_mpi(int code, std::int64_t count, Where where);

#define LS_MPI(call, count) ::lockstep::check_mpi((call), (count), LS_HERE(#call))

}  // namespace lockstep
