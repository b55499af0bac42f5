#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/trace.h"
#include "collective/communicator.h"
#include "collective/messages.h"

namespace lockstep {

// The order in which the sums of a wire communicator add the values of ranks.
enum class SumOrder {
  any,   // whatever is fastest; it may depend on how values are cut into calls and slices
  ranks  // that of the ranks, as long as there are no more than kMostOrdered of them; with more, as any
};
inline constexpr int kMostOrdered = 8;

// The sizes of sums up to which fewer rounds are worth more bytes, as measured over four hosts at 1 Gbit/s
// (bench/README.md): one round or doubling, and halving where any order will do.
inline constexpr std::size_t kFewestRoundsBytes = 8 << 10;
inline constexpr std::size_t kFewRoundsBytes = 64 << 10;

// Sums between ranks of different hosts, by plans of our own (collective/wire/segment_plan.h) over messages: in a ring,
// or directly where the order of ranks is asked for; small sums in fewer rounds. tree_all_reduce() and all that does
// not sum are the group's.
//
// group: the ranks; it is owned. messages: between the same ranks, for this communicator alone; owned. details: for the
// start-up lines. The Trace must outlive it. Blocks until its operations are done. Ranks whose counts or types differ
// are found by the sizes of their messages, if at all. COLLECTIVE over the group. Threads, errors: as Communicator.
std::unique_ptr<Communicator> make_wire_communicator(std::unique_ptr<Communicator> group,
                                                     std::unique_ptr<Messages> messages, Trace& trace, SumOrder order,
                                                     std::string details = "");

}  // namespace lockstep
