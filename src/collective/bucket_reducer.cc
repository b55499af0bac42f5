#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "collective/bucket_plan.h"
#include "collective/bucket_tickets.h"
#include "collective/gradient_accumulator.h"
#include "collective/gradient_reducer.h"
#include "collective/wire_copy.h"

namespace lockstep {
namespace {

class BucketReducer final : public GradientReducer {
 public:
  // slices: the ranks' slices of each bucket, in its order; empty: every rank gets all sums.
  BucketReducer(Communicator& communicator, Backend& backend, const Tensor& gradients, std::vector<FlatRange> buckets,
                std::vector<std::vector<FlatRange>> slices, std::vector<FlatRange> owned, int shares, DType wire)
      : communicator_(communicator),
        backend_(backend),
        gradients_(gradients),
        slices_(std::move(slices)),
        owned_(std::move(owned)),
        accumulator_(backend, gradients, shares),
        // With one rank nothing travels.
        wire_(communicator.allocator(), backend, gradients, communicator.size() == 1 ? gradients.dtype() : wire),
        buckets_(buckets),
        walk_(std::move(buckets)),
        tickets_(communicator, [this](std::size_t number) { take(number); }) {}

  int shares() const override { return accumulator_.shares(); }

  void ready(int share, FlatRange range) override {
    LS_CHECK(share >= 0 && share < shares(), fmt::format("share {} of a step with {}", share, shares()));
    accumulator_.add(share, range);
    if (accumulator_.is_last(share)) advance(range);
  }

  void finish() override {
    if (shares() == 0) {  // this rank adds nothing, and gets the sums
      backend_.fill(gradients_, 0);
      advance({0, gradients_.count()});
    }
    LS_CHECK(walk_.done(), "the backward pass has not made all gradients");
    tickets_.finish();
    walk_.restart();
  }

  std::vector<FlatRange> owned() const override { return owned_; }

 private:
  // The part of a bucket whose sums this rank gets.
  FlatRange summed(std::size_t number) const {
    const FlatRange bucket = buckets_[number];
    if (slices_.empty()) return bucket;
    const FlatRange slice = slices_[number][static_cast<std::size_t>(communicator_.rank())];
    return {bucket.begin + slice.begin, bucket.begin + slice.end};
  }

  void advance(FlatRange ready) {
    walk_.advance(ready);
    while (const FlatRange* bucket = walk_.next_complete()) {
      const Tensor values = wire_.narrowed(*bucket);
      const std::size_t number = tickets_.size();  // every bucket has a ticket
      tickets_.add(slices_.empty() ? communicator_.all_reduce(values, backend_.record())
                                   : communicator_.reduce_scatter(values, slices_[number], backend_.record()));
    }
  }

  // Takes the sums of a bucket that is done.
  void take(std::size_t number) {
    wire_.widen(summed(number));
    tell(buckets_[number].begin);
  }

  Communicator& communicator_;
  Backend& backend_;
  Tensor gradients_;
  std::vector<std::vector<FlatRange>> slices_;
  std::vector<FlatRange> owned_;
  GradientAccumulator accumulator_;
  WireCopy wire_;
  std::vector<FlatRange> buckets_;
  BucketWalk walk_;
  BucketTickets tickets_;
};

}  // namespace

std::unique_ptr<GradientReducer> make_bucket_reducer(Communicator& communicator, Backend& backend,
                                                     const Tensor& gradients, std::int64_t bucket_elements, int shares,
                                                     DType wire) {
  const std::int64_t count = gradients.count();
  return std::make_unique<BucketReducer>(communicator, backend, gradients, plan_buckets(count, bucket_elements),
                                         std::vector<std::vector<FlatRange>>(), std::vector<FlatRange>{{0, count}},
                                         shares, wire);
}

std::unique_ptr<GradientReducer> make_slice_reducer(Communicator& communicator, Backend& backend,
                                                    const Tensor& gradients, const std::vector<SlicedBucket>& buckets,
                                                    int shares, DType wire) {
  std::vector<FlatRange> ranges;
  std::vector<std::vector<FlatRange>> slices;
  for (const SlicedBucket& bucket : buckets) {
    ranges.push_back(bucket.range);
    slices.push_back(bucket.slices);
  }
  return std::make_unique<BucketReducer>(communicator, backend, gradients, std::move(ranges), std::move(slices),
                                         owned_ranges(buckets, communicator.rank()), shares, wire);
}

}  // namespace lockstep
