#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

// Which samples a rank reads in a step, as pure arithmetic: (seed, epoch, step, rank, world) -> sample ids. No state to
// save, nothing to communicate, any number of ranks.
//
// An epoch is a permutation of all samples, drawn from (seed, epoch). Step s of an epoch takes the permutation's places
// [s * G, (s + 1) * G), G the global batch; the last step of an epoch takes what is left, so every sample is seen
// exactly once an epoch. The places of a step are cut into `shares` runs whose sizes differ by at most one (the
// first ones longer); a share may be empty. Without --exact there is a share per rank, with it one per micro-shard, so
// that shares do not depend on the number of ranks.
class ShardPlan {
 public:
  struct Options {
    std::int64_t samples = 0;
    std::int64_t global_batch = 0;
    int shares = 1;
    std::uint64_t seed = 1;
    // Data that is read in blocks (BlockLayout of data/problem.h): blocks are permuted, then samples within each window
    // of window_blocks blocks. 0: all samples are permuted.
    std::int64_t block = 0;
    std::int64_t window_blocks = 1;
  };
  // REQUIRES: samples, global_batch and shares >= 1.
  explicit ShardPlan(const Options& options);

  const Options& options() const { return options_; }
  std::int64_t steps_per_epoch() const { return steps_per_epoch_; }
  // Samples of all ranks in `step`; steps count from 1 and run on over the epochs.
  std::int64_t global_count(std::int64_t step) const;
  // The sample ids of one share of a step, in order. Any thread may call.
  void share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const;

 private:
  Options options_;
  std::int64_t steps_per_epoch_;
};

// A pseudorandom permutation of 0 .. count-1 that is computed, not stored: a balanced Feistel network (Luby and
// Rackoff, "How to construct pseudorandom permutations", 1988) over the next power of four, with Philox as the round
// function, applied again until the value falls below count (the cycle-walking cipher of Black and Rogaway, "Ciphers
// with arbitrary finite domains", CT-RSA 2002). About 0.1 microseconds a turn, at most four turns on average. REQUIRES:
// 0 <= place < count. Any thread may call.
std::int64_t permute(std::int64_t place, std::int64_t count, std::uint64_t seed, std::uint32_t epoch);

}  // namespace lockstep
