#pragma once

#include <chrono>
#include <functional>

#include "collective/communicator.h"

namespace lockstep {

// All ranks wait for something that only the chief does or waits for: a slow disk, another trainer's lease. It may take
// as long as it takes: every second the chief tells the others, so that each wait is a short collective and no watchdog
// takes it for a hang. done: called on the chief alone, with the longest time it may take to answer. COLLECTIVE.
// Throws what done throws, on the chief.
void wait_for_chief(Communicator& world, const std::function<bool(std::chrono::milliseconds)>& done);

}  // namespace lockstep
