#pragma once

#include "collective/nccl_module.h"

// NCCL as tests without a GPU have it (fake_nccl.cc): ranks are threads of one process, operations run in the streams
// of the fake runtime, and one whose peers do not come waits until its own rank aborts.
namespace lockstep::gpu_stand_in {

// As liblockstep_cuda shows it.
const NcclModule& fake_nccl();

// From now on all communicators report that a peer is lost, as NCCL does where the network tells it. The operations
// under way do not end by that.
void lose_nccl_peer();
void find_nccl_peer_again();

// Ranks that join from now on get this from NCCL; "": they join.
void refuse_nccl(const char* why);

// Communicators that have been joined and neither destroyed nor aborted.
int nccl_communicators();

}  // namespace lockstep::gpu_stand_in
