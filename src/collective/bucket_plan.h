#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/flat_range.h"

namespace lockstep {

// The fusion plan: a flat store of `count` elements cut into buckets of bucket_elements from its end on, because the
// backward pass makes the last layer's gradients first. Variables do not matter: a bucket is a contiguous range, so no
// gradients are copied into it. The same on every rank. An empty store has no buckets.
std::vector<FlatRange> plan_buckets(std::int64_t count, std::int64_t bucket_elements);

// One backward pass over the plan: ranges become ready, buckets become complete. A plain value; one thread.
class BucketWalk {
 public:
  // REQUIRES: a plan of plan_buckets.
  explicit BucketWalk(std::vector<FlatRange> buckets);

  void restart();
  void advance(FlatRange ready);     // REQUIRES: ranges that touch, from the end of the store down to 0
  const FlatRange* next_complete();  // each bucket once, in order; null until the next one is complete
  bool done() const { return next_ == buckets_.size(); }  // all were given out

 private:
  std::vector<FlatRange> buckets_;
  std::int64_t end_ = 0;  // the end of the store
  std::size_t next_ = 0;
  std::int64_t watermark_ = 0;  // all from here to the end is ready
};

}  // namespace lockstep
