#pragma once

#include "collective/nccl/nccl_module.h"

// NCCL for tests without a GPU (fake_nccl.cc): ranks are threads of one process, operations run in the streams of the
// fake runtime, and an operation whose peers do not come waits until its own rank aborts.
namespace lockstep::gpu_stand_in {

// Returns the module as liblockstep_cuda exposes it.
const NcclModule& fake_nccl();

// From now on all communicators report a lost peer, as NCCL does if the network reports it. Operations under way do not
// end by this.
void lose_nccl_peer();
void find_nccl_peer_again();

// NCCL refuses ranks that join from now on with this text; "": they join.
void refuse_nccl(const char* why);

// Returns the number of communicators that were joined and neither destroyed nor aborted.
int nccl_communicators();

}  // namespace lockstep::gpu_stand_in
