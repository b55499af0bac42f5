#pragma once

#include <cstdint>
#include <memory>

#include "collective/communicator.h"
#include "collective/window.h"

namespace lockstep {

// Makes a window between ranks that are threads of one process, in which this one offers `bytes` bytes. COLLECTIVE over
// the communicator, which must outlive the window.
//
// Transfers are done by flush() and not before, so that a buffer that is read or used again too early shows. The thread
// sanitizer accepts a rank's read of its memory() after the other's flush() and its own refresh(), and reports it
// without them.
std::unique_ptr<Window> make_thread_window(Communicator& communicator, std::int64_t bytes);

}  // namespace lockstep
