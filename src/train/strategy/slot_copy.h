#pragma once

#include <span>
#include <vector>

#include "collective/communicator.h"
#include "tensor/flat_range.h"
#include "train/strategy/replica.h"

namespace lockstep {

struct StateArrays;  // checkpoint/state.h

// Functions for Strategy::copy_state() and restore_state(): they bring the optimizer's state of replicas to a
// checkpoint's arrays on rank 0 of the communicator, and back, array after array. Other ranks' arrays are left alone.
// COLLECTIVE unless stated otherwise.

// Every rank has all of the state, and the same. The copy is local: rank 0's own.
void copy_slots(const Replica& replica, const Communicator& communicator, StateArrays& arrays);
void restore_slots(const Replica& replica, Communicator& communicator, StateArrays& arrays);

// Every rank has a part of the state, that of owned[rank]. A rank needs memory for one more array of its part.
void copy_slot_parts(const Replica& replica, Communicator& communicator, std::span<const std::vector<FlatRange>> owned,
                     StateArrays& arrays);
void restore_slot_parts(const Replica& replica, Communicator& communicator,
                        std::span<const std::vector<FlatRange>> owned, StateArrays& arrays);

// Every rank has a state of its own; those of `learners` are kept, in their order, as arrays.replicas. A rank needs
// memory for one more array.
void copy_each_slots(const Replica& replica, Communicator& communicator, std::span<const int> learners,
                     StateArrays& arrays);
void restore_each_slots(const Replica& replica, Communicator& communicator, std::span<const int> learners,
                        StateArrays& arrays);

}  // namespace lockstep
