#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/batch_plan.h"
#include "data/sequences/sequence_batches.h"

namespace lockstep {

// A BatchPlan for sequences, whose batches have a number of tokens rather than of samples. Pure arithmetic over the
// lengths of all samples: the batches of a step depend on seed, lengths and buckets, never on the number of shares.
//
// Every epoch takes each sample once, except those that are too long, which are dropped (as in tensor2tensor:
// max_length). A step is one batch of SequenceBatches. Its samples are cut into `shares` runs of neighbours with as
// equal numbers of tokens as whole sequences allow; a share may be empty.
//
// An interrupted run resumes from a cursor, which says how many batches of the epoch were taken, and by which buckets:
// a run that continues with other buckets (a token budget that grew with the ranks) cuts the rest of the epoch into new
// batches. So every sample of the epoch is seen once even then.
class SequencePlan final : public BatchPlan {
 public:
  struct Options {
    std::vector<std::int32_t> lengths{};  // tokens of each sample, the larger of inputs and targets
    // A step has up to batch_tokens * shards tokens. Samples longer than max_length are dropped; 0: none are.
    LengthBuckets::Options buckets{};
    int shares = 1;
    std::uint64_t seed = 1;
    // Position to resume from, without missed batches (plan_missed_first() takes those); if the data have changed and
    // lack it, the next epoch.
    Cursor from{};
  };
  // Throws what length_buckets() throws. REQUIRES: at least one sample is not dropped; shares >= 1.
  explicit SequencePlan(Options options);

  const Cursor& from() const override { return options_.from; }
  int shares() const override { return options_.shares; }
  bool counts_tokens() const override { return true; }
  std::int64_t global_batch() const override { return options_.buckets.batch_tokens * options_.buckets.shards; }
  std::int64_t steps_per_epoch() const override { return steps_per_epoch_; }
  std::int64_t largest_share() const override { return 0; }
  std::int64_t longest_sample() const override { return longest_; }
  std::int64_t dropped() const override { return dropped_; }
  Cursor cursor(std::int64_t step) const override;
  // In the epoch of `from`, counts samples up to the cursor, and steps from there on.
  double epochs(std::int64_t step) const override;
  std::int64_t last_step_of(std::int64_t epochs) const override;
  std::int64_t global_count(std::int64_t step) const override;
  void share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const override;
  void share_of(std::span<const std::int64_t> batch, int share, std::vector<std::int64_t>& sample_ids) const override;
  // The samples of all shares in `step`, in order. Any thread may call.
  void batch(std::int64_t step, std::vector<std::int64_t>& sample_ids) const;

 private:
  struct Position {
    std::uint32_t epoch;
    std::int64_t number;  // number of the batch
    bool resumed;         // a batch of left_, the rest of the cursor's epoch
  };
  bool resume();
  // Removes the samples of other shares from a batch.
  void keep_share(int share, std::vector<std::int64_t>& sample_ids) const;
  Position position(std::int64_t step) const;

  Options options_;
  std::int64_t dropped_ = 0;
  std::int64_t longest_ = 0;
  SequenceBatches whole_;                  // the batches of a whole epoch
  std::int64_t steps_per_epoch_ = 0;       // number of those batches
  std::unique_ptr<SequenceBatches> left_;  // rest of the cursor's epoch; null: the cursor is at its beginning
  std::vector<BatchLeg> legs_before_;      // the legs of that epoch with other buckets
  std::int64_t left_taken_ = 0;            // batches of left_ already taken
  std::int64_t first_steps_ = 0;           // steps of that epoch from the cursor on
};

}  // namespace lockstep
