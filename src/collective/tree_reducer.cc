#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "collective/bucket_plan.h"
#include "collective/bucket_tickets.h"
#include "collective/gradient_reducer.h"

namespace lockstep {
namespace {

// The most partial sums that a rank keeps. A leaf that merges at once is added to its neighbour in place, without a
// copy of its own: one less than the plan's stack has, unless leaves stay unmerged on top.
int partials_needed(const TreePlan& plan, int rank) {
  int depth = 0;
  int most = 0;
  const TreePlan::Node block = plan.block(rank);
  for (int leaf = block.begin; leaf < block.end; ++leaf) {
    depth += 1 - plan.merges_after_leaf(leaf);
    most = std::max(most, depth);
  }
  const bool leaf_is_result = block.end - block.begin == 1;
  return leaf_is_result ? 0 : most;  // 0 also without leaves
}

class TreeReducer final : public GradientReducer {
 public:
  TreeReducer(Communicator& communicator, Backend& backend, const TreePlan& plan, const Tensor& gradients,
              std::int64_t bucket_elements)
      : communicator_(communicator),
        backend_(backend),
        plan_(plan),
        block_(plan.block(communicator.rank())),
        gradients_(gradients),
        buckets_(plan_buckets(gradients.count(), bucket_elements)),
        walk_(buckets_),
        tickets_(communicator, [this](std::size_t number) { tell(buckets_[number].begin); }) {
    for (int i = tree_partials(plan); i > 0; --i) {
      buffers_.push_back(communicator.allocator().allocate(gradients.bytes()));
      partials_.push_back(view(buffers_.back(), gradients.dtype(), gradients.shape()));
    }
  }

  int shares() const override { return block_.end - block_.begin; }
  std::vector<FlatRange> owned() const override { return {{0, gradients_.count()}}; }

  void ready(int share, FlatRange range) override {
    if (range.empty() && gradients_.count() > 0) return;  // completes nothing, perhaps after a share's last
    LS_CHECK(share == share_, fmt::format("share {} is ready, but share {} is not complete", share, share_));
    walk_.advance(range);
    while (const FlatRange* bucket = walk_.next_complete()) complete(*bucket);
    if (walk_.done()) next_share();
  }

  void finish() override {
    LS_CHECK(share_ == shares(), fmt::format("{} of {} shares are complete", share_, shares()));
    if (shares() == 0) take_sums();
    tickets_.finish();
    share_ = 0;
    depth_ = 0;
  }

 private:
  // Puts the share's leaf of this bucket onto the stack of partial sums: partials_[0 .. depth_), the same depth for all
  // buckets of a share.
  void complete(FlatRange bucket) {
    const Tensor leaf = gradients_.flat(bucket);
    const bool last = share_ + 1 == shares();
    const int merges = plan_.merges_after_leaf(block_.begin + share_);
    if (last && shares() == 1) {
      start(std::span(&leaf, 1), leaf);
      return;
    }
    if (merges == 0) {
      backend_.copy(leaf, partial(depth_, bucket));
    } else {
      backend_.add(leaf, partial(depth_ - 1, bucket));
      for (int merge = 1; merge < merges; ++merge) {
        backend_.add(partial(depth_ - merge, bucket), partial(depth_ - merge - 1, bucket));
      }
    }
    if (last) start(parts_of(bucket), leaf);
  }

  // Adds nothing to any bucket, as this rank has no leaf, and gets the sums.
  void take_sums() {
    walk_.advance({0, gradients_.count()});
    while (const FlatRange* bucket = walk_.next_complete()) start({}, gradients_.flat(*bucket));
    walk_.restart();
  }

  void next_share() {
    depth_ += 1 - plan_.merges_after_leaf(block_.begin + share_);
    ++share_;
    walk_.restart();
  }

  Tensor partial(int level, FlatRange bucket) const {
    return partials_.at(static_cast<std::size_t>(level)).flat(bucket);
  }

  std::vector<Tensor> parts_of(FlatRange bucket) const {
    std::vector<Tensor> parts;
    for (std::size_t part = 0; part < plan_.parts(communicator_.rank()).size(); ++part) {
      parts.push_back(partial(static_cast<int>(part), bucket));
    }
    return parts;
  }

  void start(std::span<const Tensor> parts, const Tensor& result) {
    backend_.synchronize();
    tickets_.add(communicator_.tree_all_reduce(plan_, parts, result));
  }

  Communicator& communicator_;
  Backend& backend_;
  TreePlan plan_;
  TreePlan::Node block_;
  Tensor gradients_;
  std::vector<FlatRange> buckets_;
  BucketWalk walk_;
  std::vector<Buffer> buffers_;
  std::vector<Tensor> partials_;  // each shaped like gradients_
  int share_ = 0;                 // the one under way
  int depth_ = 0;                 // partial sums on the stack, before this share
  BucketTickets tickets_;
};

}  // namespace

// allocate() may be COLLECTIVE, so every rank makes as many as the rank that needs most.
int tree_partials(const TreePlan& plan) {
  int partials = 0;
  for (int rank = 0; rank < plan.world_size(); ++rank) partials = std::max(partials, partials_needed(plan, rank));
  return partials;
}

std::unique_ptr<GradientReducer> make_tree_reducer(Communicator& communicator, Backend& backend, const TreePlan& plan,
                                                   const Tensor& gradients, std::int64_t bucket_elements) {
  LS_CHECK(plan.world_size() == communicator.size(),
           fmt::format("a plan for {} ranks in a group of {}", plan.world_size(), communicator.size()));
  return std::make_unique<TreeReducer>(communicator, backend, plan, gradients, bucket_elements);
}

}  // namespace lockstep
