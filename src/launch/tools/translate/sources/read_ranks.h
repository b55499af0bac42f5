#pragma once

#include "base/environment.h"
#include "launch/flags/command_line.h"
#include "launch/tools/translate/rank_list.h"

namespace lockstep {

// The ranks that the first of these describes (two of the first three at once are an Error):
//
//   --hostfile=FILE, Open MPI's
//   a cluster in TensorFlow's terms: told_cluster()
//   --hostlist and --tasks_per_node, Slurm's
//   the environment: SLURM_STEP_NODELIST in a step of srun's, SLURM_JOB_NODELIST, PE_HOSTFILE, or of a job of mpirun's
//   its own variables
//
// Within a job, own_rank is this process; what the environment says of other jobs (the allocation's, where mpirun was
// given fewer ranks) then counts for no more than the host of rank 0. Reads the files that are named; calls no MPI.
// Throws Error.
RankList read_ranks(const CommandLine& line, const Environment& environment);

}  // namespace lockstep
