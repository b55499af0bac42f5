#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collective/communicator.h"
#include "tensor/backend.h"
#include "tensor/flat_range.h"

namespace lockstep {

// The fusion plan: a flat store of `count` elements (with `headroom` more in front of it) cut into buckets of
// bucket_elements from its end on, because the backward pass makes the last layer's gradients first. Variables do not
// matter: a bucket is a contiguous range, so nothing is gathered. The last bucket also takes the headroom, where the
// control values are. Same on every rank. Ranges are relative to the store; the last one begins at -headroom.
std::vector<FlatRange> plan_buckets(std::int64_t count, std::int64_t headroom, std::int64_t bucket_elements);

// Sums a model's gradients over the ranks of a group while the backward pass goes on.
//
// A step: for each share of this rank (one; with --exact one per micro-shard) the backward pass calls ready() with
// ranges that touch, from the end of the store down to 0; then finish(). A bucket goes out as soon as the last
// share has completed it. finish() waits; afterwards the gradients, headroom included, are the sums over all ranks.
// The headroom must hold this rank's control values before the last share's last ready().
// Owned by a Strategy; one thread at a time. COLLECTIVE: ready() and finish(), in the same order on every rank.
class GradientReducer {
 public:
  virtual ~GradientReducer() = default;
  virtual int shares() const = 0;  // shares a step of this rank has
  virtual void ready(int share, FlatRange range) = 0;
  virtual void finish() = 0;
};

// One all-reduce a bucket, in place.
// gradients (headroom + count), in memory of communicator.allocator().
std::unique_ptr<GradientReducer> make_bucket_reducer(Communicator& communicator, const Tensor& gradients,
                                                     std::int64_t headroom, std::int64_t bucket_elements);

// --exact: shares are the leaves of plan's tree; each is added to this rank's partial sums as it comes.
std::unique_ptr<GradientReducer> make_tree_reducer(Communicator& communicator, Backend& backend, const TreePlan& plan,
                                                   const Tensor& gradients, std::int64_t headroom,
                                                   std::int64_t bucket_elements);

}  // namespace lockstep
