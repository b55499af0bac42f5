#pragma once

#include <memory>

#include "collective/nccl/nccl_module.h"

namespace lockstep {

// Sums on GPUs by NCCL, in one stream of this rank's GPU: operations return as soon as they are in it, in the order of
// the calls, and run concurrently with the Backend's; they start after the event that the caller gives, and wait() lets
// the Backend's stream wait, not the host.
//
// Ranks never agree over the GPU: bytes, groups and the exact tree go over a copy of the group, which outlasts a GPU
// that hangs. Calls that differ between ranks are not detected, and hang.
//
// An operation is marked in the Trace until the GPU is done with it, so that hang verdicts name it, and a thread looks
// for NCCL's own errors meanwhile: at an error the operations under way end, and every call from there on throws what
// NCCL said. abandon() ends them, too: until then freeing memory of the GPU, and the end of a Backend, may wait for a
// peer that does not come.
//
// COLLECTIVE. Throws Error(configuration) of every rank with the bare reason if NCCL cannot start.
std::unique_ptr<Communicator> make_nccl_communicator(const NcclParts& parts);

}  // namespace lockstep
