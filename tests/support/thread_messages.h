#pragma once

#include <memory>

#include "collective/communicator.h"
#include "collective/messages.h"
#include "support/thread_communicator.h"

namespace lockstep {

// Makes Messages between ranks that are threads of one process. COLLECTIVE over the communicator.
//
// Messages of up to 4096 bytes are copied by send(); a larger one is done only when its receiver has copied it from the
// sender's buffer, as in MPI. So a buffer that is used again too early shows.
// When the world is poisoned, every call throws Error(internal) with the world's message. The destructor takes this
// rank's messages back, so that no receiver reads memory that is gone. The communicator and the world must outlive the
// Messages.
std::unique_ptr<Messages> make_thread_messages(Communicator& communicator, const ThreadWorld& world);

}  // namespace lockstep
