#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "collective/communicator.h"

namespace lockstep {

// Makes all ranks wait for something that only the chief does or waits for: a slow disk, another trainer's lease. The
// wait may be of any length: every second they exchange their state, so that each wait is a short collective and no
// watchdog takes it for a hang. done: called on the chief alone, with the longest time it may take to answer. give_up,
// if not null: any rank's true ends the waiting. Returns whether it is done. COLLECTIVE. Throws what done throws, on
// the chief.
bool wait_for_chief(Communicator& world, const std::function<bool(std::chrono::milliseconds)>& done,
                    const std::atomic<bool>* give_up = nullptr);

}  // namespace lockstep
