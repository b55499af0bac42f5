#pragma once

#include <memory>

#include "collective/communicator.h"
#include "tensor/backend.h"

namespace lockstep {

// Sums tensors of a GPU in the host's memory: they are copied there, piece by piece, summed by a communicator of the
// host, and copied back, each piece while the next one is on its way. For ranks that share a GPU, which NCCL refuses,
// and wherever else there is no NCCL.
//
// Operations are done when they return, as those of the host's communicators are; make_communication_thread() runs them
// during the backward pass. Bytes and groups are the inner communicator's, and so are the bits of the sums.
//
// inner: its operations are done when they return. backend: that of the tensors, which outlives the communicator.
// Operations use streams of their own, so the Backend may be in use by another thread. Threads, errors: as the inner
// one's.
std::unique_ptr<Communicator> make_host_staged_communicator(std::unique_ptr<Communicator> inner, Backend& backend);

}  // namespace lockstep
