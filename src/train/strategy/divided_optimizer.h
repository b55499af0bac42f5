#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/communicator.h"
#include "collective/sliced_buckets.h"
#include "train/strategy/replica.h"

namespace lockstep {

struct StateArrays;  // checkpoint/state.h

// ZeRO-1 (Rajbhandari et al., "ZeRO: memory optimizations toward training trillion parameter models", SC 2020, section
// 5.1): every rank has all values and gradients, updates the values it owns, and has the optimizer's state of these
// alone. A plan of slices (collective/sliced_buckets.h) says which values a rank owns, so that gradients can be
// reduce-scattered and values gathered bucket by bucket. If all ranks share one copy of the values, they are not
// gathered.
//
// One thread. COLLECTIVE: the constructor, apply(), copy_state() and restore_state(). Communicator, Trace and
// Replica outlive it.
class DividedOptimizer {
 public:
  // Plans which rank owns which values, and tells the replica.
  DividedOptimizer(Communicator& communicator, Trace& trace, Replica& replica, std::int64_t bucket_elements);

  const std::vector<SlicedBucket>& buckets() const { return buckets_; }
  // To be called after Replica::begin_update(). Bucket by bucket, this rank updates its slice, and soon after the new
  // values of all slices go to all ranks, while they are in a cache, or while the next slices are updated; if all ranks
  // share one copy of the values, they only meet at the end. The gradients that a rank does not own are undefined from
  // here to the next backward pass.
  void apply(std::int64_t step, double learning_rate, const Replica::Update& update);

  void copy_state(StateArrays& arrays) const;
  void restore_state(StateArrays& arrays) const;

  // The division in words: "each rank updates a part, with at most 25.1 of the optimizer's 100.2 MB of state".
  std::string description() const;

 private:
  void gather(const SlicedBucket& bucket);

  Communicator& communicator_;
  Trace& trace_;
  Replica& replica_;
  std::vector<SlicedBucket> buckets_;
  std::vector<std::vector<FlatRange>> owned_;  // ranges that each rank owns
  std::vector<FlatRange> gaps_;                // ranges that no trainable variable has
  std::vector<Ticket> tickets_;
};

}  // namespace lockstep
