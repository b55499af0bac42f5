#pragma once

#include <memory>

#include "collective/communicator.h"

namespace lockstep {

// The parts of a hierarchical communicator, which owns them. Each blocks until its operations are done.
struct HierarchyLevels {
  std::unique_ptr<Communicator> group;  // all ranks
  std::unique_ptr<Communicator> local;  // the ranks of this host, in the order of the group
  // Sums between hosts: local's rank 0 of each host, in the same order; null on all other ranks.
  std::unique_ptr<Communicator> leaders;
};

// Sums on two levels: over memory within a host, over the network between one rank of each host, its leader. Hosts may
// have any numbers of ranks.
//
// all_reduce: the sum within each host, then that of the leaders, at last a broadcast within each host. With the wire
// communicator (collective/wire/wire_communicator.h) between leaders a host of H sends 2 S (H-1)/H for S bytes, however
// many ranks it has: the least that any all-reduce can. The levels follow one another: sums in memory take a small part
// of what a network takes, so that overlapping them would gain little.
// reduce_scatter and all_gather are those of the leaders, with the slices of a host's ranks as its part, and the steps
// within the hosts. If the ranks of a host do not follow each other in the group, they are an all_reduce and a
// broadcast of each rank. barrier, split, tree_all_reduce and operations on bytes except broadcast are the group's: the
// tree of --exact has the same bits over any communicator.
//
// Bits: those of the levels. They depend on which ranks share a host and on how the local level sums, both of which
// summation() names.
//
// allocator() is the local level's. Marks in the Trace are those of the levels, one at a time.
// COLLECTIVE over the group. Threads, errors: as Communicator.
std::unique_ptr<Communicator> make_hierarchical_communicator(HierarchyLevels levels);

}  // namespace lockstep
