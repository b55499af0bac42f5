#include "collective/bucket_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {

std::vector<FlatRange> plan_buckets(std::int64_t count, std::int64_t bucket_elements) {
  LS_CHECK(count >= 0 && bucket_elements > 0, fmt::format("{} elements in buckets of {}", count, bucket_elements));
  std::vector<FlatRange> buckets;
  for (std::int64_t end = count; end > 0; end -= bucket_elements) {
    buckets.push_back({std::max<std::int64_t>(end - bucket_elements, 0), end});
  }
  return buckets;
}

BucketWalk::BucketWalk(std::vector<FlatRange> buckets)
    : buckets_(std::move(buckets)), end_(buckets_.empty() ? 0 : buckets_.front().end) {
  restart();
}

void BucketWalk::restart() {
  next_ = 0;
  watermark_ = end_;
}

void BucketWalk::advance(FlatRange ready) {
  LS_CHECK(ready.end == watermark_ && 0 <= ready.begin && ready.begin <= ready.end,
           fmt::format("gradients [{}, {}) are ready, but those before them reach down to {}: ranges must touch, from "
                       "the end of the store to its start",
                       ready.begin, ready.end, watermark_));
  watermark_ = ready.begin;
}

const FlatRange* BucketWalk::next_complete() {
  if (done() || watermark_ > buckets_[next_].begin) return nullptr;
  return &buckets_[next_++];
}

}  // namespace lockstep
