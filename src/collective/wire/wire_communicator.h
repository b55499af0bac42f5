#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/trace.h"
#include "collective/communicator.h"
#include "collective/messages.h"
#include "collective/wire/plan_choice.h"

namespace lockstep {

// Sums between ranks of different hosts, by plans of our own (collective/wire/segment_plan.h) over messages: in a ring,
// or directly where the order of ranks is asked for, and for the tree of --exact; small sums in fewer rounds. What does
// not sum is the group's.
//
// group: the ranks; it is owned. messages: between the same ranks, for this communicator alone; owned. number: that of
// the group in hang verdicts, another one for each that a rank is in at a time. details: for the
// start-up lines. The Trace must outlive it. Blocks until its operations are done. Ranks whose counts or types differ
// are found by the sizes of their messages, if at all. COLLECTIVE over the group. Threads, errors: as Communicator.
std::unique_ptr<Communicator> make_wire_communicator(std::unique_ptr<Communicator> group,
                                                     std::unique_ptr<Messages> messages, Trace& trace, SumOrder order,
                                                     int number, std::string details = "");

}  // namespace lockstep
