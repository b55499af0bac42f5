#include <fmt/format.h>

#include <vector>

#include "collective/bucket_plan.h"
#include "collective/gradient_accumulator.h"
#include "collective/gradient_reducer.h"

namespace lockstep {
namespace {

class BucketReducer final : public GradientReducer {
 public:
  BucketReducer(Communicator& communicator, Backend& backend, const Tensor& gradients, std::int64_t bucket_elements,
                int shares)
      : communicator_(communicator),
        backend_(backend),
        gradients_(gradients),
        accumulator_(backend, gradients, shares),
        walk_(plan_buckets(gradients.count(), bucket_elements)) {}

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
    for (const Ticket ticket : tickets_) communicator_.wait(ticket);
    tickets_.clear();
    walk_.restart();
  }

 private:
  void advance(FlatRange ready) {
    walk_.advance(ready);
    while (const FlatRange* bucket = walk_.next_complete()) {
      tickets_.push_back(communicator_.all_reduce(gradients_.flat(*bucket), backend_.record()));
    }
  }

  Communicator& communicator_;
  Backend& backend_;
  Tensor gradients_;
  GradientAccumulator accumulator_;
  BucketWalk walk_;
  std::vector<Ticket> tickets_;
};

}  // namespace

std::unique_ptr<GradientReducer> make_bucket_reducer(Communicator& communicator, Backend& backend,
                                                     const Tensor& gradients, std::int64_t bucket_elements,
                                                     int shares) {
  return std::make_unique<BucketReducer>(communicator, backend, gradients, bucket_elements, shares);
}

}  // namespace lockstep
