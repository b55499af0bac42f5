#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/batch_plan.h"

namespace lockstep {

// A BatchPlan for samples of one size: a step takes a number of them.
//
// An epoch is a permutation of all samples, drawn from (seed, epoch). Step s, from 0, of an epoch takes its places
// [s * G, (s + 1) * G), G the global batch; the last step of an epoch takes what is left, so every sample is seen
// exactly once per epoch. The places of a step are cut into `shares` runs whose sizes differ by at most one (the
// first ones longer); a share may be empty. Without --exact there is a share per rank, with it one per micro-shard, so
// that shares do not depend on the number of ranks.
//
// Data that cannot be read in any order are permuted in windows. Blocks of `block` neighbouring samples are permuted,
// but for the short last one (samples % block), which comes last. `window_blocks` blocks in a row of that order are a
// window, and the samples of a window are permuted. So a reader needs the blocks of one window, and ahead() names the
// ones that come next. Steps and shares do not depend on windows.
//
// An interrupted run resumes from a cursor: steps after cursor.step take the places of its epoch from cursor.consumed
// on, in batches of the size that is requested now, then whole epochs. So every sample of the epoch is seen once, even
// if the global batch has changed with the number of ranks; if it has not, the steps are those of the uninterrupted
// run.
class ShardPlan final : public BatchPlan {
 public:
  struct Options {
    std::int64_t samples = 0;
    std::int64_t global_batch = 0;
    int shares = 1;
    std::uint64_t seed = 1;
    // For data that are read in blocks (BlockLayout of data/problem.h); 0: all samples are permuted.
    std::int64_t block = 0;
    std::int64_t window_blocks = 1;
    Cursor from{};  // position to resume from
  };
  // REQUIRES: samples, global_batch, shares, window_blocks >= 1; block >= 0; windows < 2^20; from.consumed < samples;
  // from has no missed batches, which plan_missed_first() takes.
  explicit ShardPlan(const Options& options);

  const Options& options() const { return options_; }
  const Cursor& from() const override { return options_.from; }
  int shares() const override { return options_.shares; }
  std::int64_t global_batch() const override { return options_.global_batch; }
  std::int64_t steps_per_epoch() const override { return steps_per_epoch_; }
  std::int64_t largest_share() const override;
  Cursor cursor(std::int64_t step) const override;
  double epochs(std::int64_t step) const override;
  std::int64_t last_step_of(std::int64_t epochs) const override;
  std::int64_t global_count(std::int64_t step) const override;
  void share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const override;
  void share_of(std::span<const std::int64_t> batch, int share, std::vector<std::int64_t>& sample_ids) const override;
  BlockLayout layout() const override { return {.block = options_.block, .window_blocks = options_.window_blocks}; }

  // The blocks to load while `step` is being read: those of the next window (of the next epoch's first, in the last
  // one), as great a part of them as the step takes of its own window. So each is announced once, some time before its
  // window begins, and no step has to load more than its part. None if block is 0.
  void ahead(std::int64_t step, std::vector<std::int64_t>& blocks) const override;

 private:
  struct Position {
    std::uint32_t epoch;
    std::int64_t begin;  // the first of its places
  };
  struct Part {
    std::int64_t begin;
    std::int64_t end;
  };
  Position position(std::int64_t step) const;
  Part part_of(std::int64_t count, int share) const;  // of `count` places
  std::int64_t sample_at(std::int64_t place, std::uint32_t epoch) const;
  std::int64_t block_at(std::int64_t position, std::uint32_t epoch) const;  // block in the order of an epoch

  Options options_;
  std::int64_t steps_per_epoch_;
  std::int64_t first_steps_ = 0;  // steps left in the epoch of `from`
  std::int64_t whole_blocks_ = 0;
  std::int64_t window_samples_ = 0;  // samples of a whole window
};

// The place to which a pseudorandom permutation of 0 .. count-1 takes `place`, computed, not stored: a balanced Feistel
// network (Luby and Rackoff, "How to construct pseudorandom permutations", 1988) over the next power of four, with
// Philox as the round function, applied again until the value falls below count (the cycle-walking cipher of Black and
// Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). About 0.1 microseconds a turn, fewer than four turns
// on average. REQUIRES: 0 <= place < count. Any thread may call.
std::int64_t permute(std::int64_t place, std::int64_t count, std::uint64_t seed, std::uint32_t epoch);

}  // namespace lockstep
