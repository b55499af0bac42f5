#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

// Selects the samples of a training split that are held out of training, and renumbers the others: a pure function of
// its options. Both parts keep the order of the split.
//
// Data that are read in blocks are held out in whole blocks, so that the rest still consists of blocks. A short last
// block always remains, as the last one, where ShardPlan expects it.
class HoldoutPlan {
 public:
  struct Options {
    std::int64_t samples = 0;
    std::int64_t block = 0;  // BlockLayout::block; 0: samples are held out one by one
    double share = 0;        // part of the samples, or of the whole blocks; rounded to the nearest number of them
    std::uint64_t seed = 1;
  };
  // Throws Error(configuration) of every rank if the share amounts to no sample, or to all of them.
  explicit HoldoutPlan(const Options& options);

  std::int64_t held_out() const { return static_cast<std::int64_t>(units_.size()) * unit_; }  // samples
  std::int64_t remaining() const { return samples_ - held_out(); }                            // samples

  // Numbers in the whole split of a held-out sample, a remaining sample and a remaining block, from their new numbers.
  std::int64_t held_out_sample(std::int64_t sample) const;
  std::int64_t remaining_sample(std::int64_t sample) const;
  std::int64_t remaining_block(std::int64_t block) const;

 private:
  std::int64_t samples_;
  std::int64_t unit_;                // samples that are held out together
  std::vector<std::int64_t> units_;  // the held-out ones, in order
};

}  // namespace lockstep
