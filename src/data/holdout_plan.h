#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

// Which samples of a training split are held out of training, and how the others are numbered then: a pure function of
// its options. Both parts keep the order of the split.
//
// Of data that are read in blocks whole blocks are held out, so that what remains has its blocks, too. A short last
// block always remains, as the last one, which is where ShardPlan expects it.
class HoldoutPlan {
 public:
  struct Options {
    std::int64_t samples = 0;
    std::int64_t block = 0;  // of BlockLayout; 0: samples are held out one by one
    double share = 0;        // of the samples, or of the whole blocks; rounded to the nearest number of them
    std::uint64_t seed = 1;
  };
  // Throws Error(configuration) of every rank where the share comes to no sample, or to all of them.
  explicit HoldoutPlan(const Options& options);

  std::int64_t held_out() const { return static_cast<std::int64_t>(units_.size()) * unit_; }  // samples
  std::int64_t remaining() const { return samples_ - held_out(); }                            // likewise

  // The numbers in the whole split of a held out sample, of one that remains, and of a block that remains.
  std::int64_t held_out_sample(std::int64_t sample) const;
  std::int64_t remaining_sample(std::int64_t sample) const;
  std::int64_t remaining_block(std::int64_t block) const;

 private:
  std::int64_t samples_;
  std::int64_t unit_;                // samples that are held out together
  std::vector<std::int64_t> units_;  // that are held out, in order
};

}  // namespace lockstep
