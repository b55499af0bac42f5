#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "collective/shm/meeting.h"
#include "collective/shm/shared_regions.h"
#include "collective/tree_plan.h"
#include "tensor/tensor.h"

namespace lockstep {

// The tree all-reduce of --exact (collective/tree_all_reduce.h, with the same bits) on parts and results that lie in
// shared memory: each rank adds up its slice of all parts where they lie, in the order of the plan, and writes it to
// all results.
//
// Bytes that a rank reads (r) and writes (w) for S bytes of values, N parts of all ranks on P of them: N S/P r and S w,
// with each sum within the tree done a cache's worth at a time. Built on exchanges it is about 3 times as much.
//
// COLLECTIVE: run(). Threads: one at a time. Keeps small memory of its own, so that a call allocates nothing.
class TreeInPlace {
 public:
  // members: the group's ranks as SharedRegions counts them. meeting must outlive it.
  TreeInPlace(Meeting& meeting, std::vector<int> members, std::shared_ptr<SharedRegions> regions);

  // Compares the calls, then sums. Returns false, on all ranks alike, if not all parts and results lie in memory that
  // all ranks see; then nothing has been summed.
  bool run(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result);

 private:
  void put_places(std::span<const Tensor> parts, const Tensor& result);
  // Keeps the addresses of everyone's places. Returns false if this rank does not see all of them.
  bool take_places(const TreePlan& plan);
  void sum(const TreePlan& plan, DType dtype, std::size_t begin, std::int64_t count);

  Meeting& meeting_;
  std::vector<int> members_;
  std::shared_ptr<SharedRegions> regions_;
  std::vector<std::byte*> results_;  // every rank's result
  std::vector<std::byte*> nodes_;    // the parts of all ranks, in their order
  std::vector<std::byte*> stack_;
  std::vector<void*> destinations_;
};

}  // namespace lockstep
