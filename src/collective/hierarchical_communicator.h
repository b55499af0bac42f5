#pragma once

#include <memory>

#include "collective/communicator.h"

namespace lockstep {

// What a hierarchical communicator is made of; it owns all of it. Each blocks until its operations are done.
struct HierarchyLevels {
  std::unique_ptr<Communicator> group;    // all ranks
  std::unique_ptr<Communicator> local;    // the ranks of this host, in the order of the group
  std::unique_ptr<Communicator> leaders;  // rank 0 of each host, ordered likewise; null on all other ranks
};

// Sums on two levels: over memory within a host, over the network between one rank of each host, its leader. Hosts may
// have any numbers of ranks.
//
// all_reduce: the hosts' sums, the leaders' sum of these, and each leader's broadcast within its host. Of S bytes on H
// hosts, a host sends and receives what one rank of an all-reduce over H ranks does, 2 S (H-1)/H, however many ranks it
// has. The steps follow one another: sums in memory take a small part of what a network takes, so that overlapping
// them would gain little.
// reduce_scatter and all_gather move a host's slices between hosts, and the ranks' within; where the ranks of a host do
// not follow each other in the group, they cost as much as an all_reduce and as one broadcast a rank.
// barrier, operations on bytes but broadcast, split and tree_all_reduce are the group's: the tree of --exact has the
// same bits over any communicator.
//
// Bits: decided by which ranks share a host and by how the two levels sum, all of which summation() names. Same on
// every rank, since what the leaders get is copied.
//
// allocator() is the local level's. Marks in the Trace are those of the levels, one at a time.
// COLLECTIVE over the group. Threads, errors: as Communicator.
std::unique_ptr<Communicator> make_hierarchical_communicator(HierarchyLevels levels);

}  // namespace lockstep
