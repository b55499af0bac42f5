#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "collective/shm/meeting.h"
#include "collective/shm/shared_regions.h"
#include "tensor/tensor.h"

namespace lockstep {

// The shm communicator's operations on tensors (collective/shm/shm_communicator.h). COLLECTIVE, all but the
// constructor. Threads: one at a time. Keeps small memory of its own, so that no operation allocates.
//
// Bytes that a rank reads (r) and writes (w) of S bytes of values, P ranks:
//   all_reduce in place        S r, S w               each rank adds up S/P of everyone's
//   all_reduce staged, P = 2   3 S r, 2 S w           copied to its area; both ranks add up both
//   all_reduce staged, P > 2   (3 - 2/P) S r, 2 S w   slices to areas, sums to areas and values, then copied from there
//   broadcast in place         S (P-1)/P r and w      each rank, the root as well, copies S/P to everyone
class TensorOperations {
 public:
  // members: the group's ranks as SharedRegions counts them. meeting must outlive it.
  TensorOperations(Meeting& meeting, std::vector<int> members, std::shared_ptr<SharedRegions> regions);

  void all_reduce(const Tensor& values);
  void reduce_scatter(const Tensor& values, std::span<const FlatRange> slices);
  void all_gather(const Tensor& values, std::span<const FlatRange> slices);
  void broadcast(const Tensor& values, int root);

 private:
  // A call about these values, with the region they lie in. Small ones are never in place: a round costs one meeting,
  // working in place two.
  Call call_of(Operation operation, const Tensor& values) const;
  // The address of a peer's values. REQUIRES: the meeting's operation is in place.
  std::byte* values_of(int peer) const;
  // The slice that a rank works on if the caller does not say: whole cache lines.
  FlatRange slice_of(const Tensor& values, int peer) const;

  void all_reduce_whole(const Call& call, const Tensor& values);
  void all_reduce_sliced(const Call& call, const Tensor& values);
  // Writes the sum of everyone's elements of a slice to the values of the ranks [first, last). REQUIRES: in place.
  void sum_in_place(const Tensor& values, FlatRange slice, int first, int last);
  // Writes the sum of this rank's piece and of what the others have `offset` bytes into their areas to `destinations`.
  void sum_areas(const Tensor& piece, std::size_t offset, std::span<void* const> destinations);

  Meeting& meeting_;
  std::vector<int> members_;
  std::shared_ptr<SharedRegions> regions_;
  std::vector<const void*> sources_;
  std::vector<void*> destinations_;
};

}  // namespace lockstep
