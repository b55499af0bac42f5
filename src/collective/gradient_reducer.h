#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "collective/communicator.h"
#include "collective/sliced_buckets.h"
#include "collective/tree_plan.h"
#include "tensor/backend.h"
#include "tensor/flat_range.h"

namespace lockstep {

// Sums a model's gradients over the ranks of a group during the backward pass, in the buckets of
// collective/bucket_plan.h.
//
// A step: for each share of this rank (one, or as many as gradients are accumulated over; with --exact one per
// micro-shard; none on a rank that computes nothing) the backward pass calls ready() with ranges that touch, from the
// end of the store down to 0; then finish(). A bucket goes out as soon as the last share has completed it. finish()
// waits; afterwards the ranges of owned() hold the sums over all shares of all ranks, and the other ranges are
// undefined. A listener learns of each bucket's sums in ready() if they are there already, while the processor's cache
// has them, else in finish().
//
// Owned by a Strategy; one thread at a time. COLLECTIVE: ready() and finish(), in the same order on every rank.
class GradientReducer {
 public:
  // The ranges of owned() hold their sums from `begin` to the end of the store. Called in ready() or finish(), from the
  // end of the store down to 0.
  using Listener = std::function<void(std::int64_t begin)>;

  virtual ~GradientReducer() = default;
  virtual int shares() const = 0;  // number of this rank's shares of a step
  virtual void ready(int share, FlatRange range) = 0;
  virtual void finish() = 0;
  // The ranges whose sums this rank has after finish(), in their order.
  virtual std::vector<FlatRange> owned() const = 0;

  // Call it before the first step.
  void set_listener(Listener listener) { listener_ = std::move(listener); }

 protected:
  void tell(std::int64_t begin) const {
    if (listener_) listener_(begin);
  }

 private:
  Listener listener_;
};

// A reducer with one all-reduce per bucket, in place, of the sum of this rank's shares
// (collective/gradient_accumulator.h). gradients: in memory of communicator.allocator(). wire: the type in which they
// travel (collective/wire_copy.h), to which they and their sums are rounded. COLLECTIVE if wire is not their own
// type.
std::unique_ptr<GradientReducer> make_bucket_reducer(Communicator& communicator, Backend& backend,
                                                     const Tensor& gradients, std::int64_t bucket_elements, int shares,
                                                     DType wire = DType::float32);

// The same with a reduce-scatter per bucket: a rank gets the sums of its own slices only.
std::unique_ptr<GradientReducer> make_slice_reducer(Communicator& communicator, Backend& backend,
                                                    const Tensor& gradients, const std::vector<SlicedBucket>& buckets,
                                                    int shares, DType wire = DType::float32);

// The number of arrays like the gradients that make_tree_reducer() takes of the communicator's memory, on every rank.
// Pure.
int tree_partials(const TreePlan& plan);

// --exact: shares are the leaves of plan's tree; each is added to this rank's partial sums as it comes. The partial
// sums take up to log2(leaves) + 1 times the memory of the gradients. plan is copied.
std::unique_ptr<GradientReducer> make_tree_reducer(Communicator& communicator, Backend& backend, const TreePlan& plan,
                                                   const Tensor& gradients, std::int64_t bucket_elements);

}  // namespace lockstep
