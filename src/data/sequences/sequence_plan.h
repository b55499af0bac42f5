#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/length_buckets.h"
#include "data/sequences/sequence_batches.h"

namespace lockstep {

// Which sequences each share of a step is made of, where batches have a number of tokens rather than of samples: what
// ShardPlan (data/shard_plan.h) is for samples of one size. Pure arithmetic over the lengths of all samples: the
// batches of a step depend on seed, lengths and buckets, never on the number of shares.
//
// Every epoch takes each sample once, but for those that are too long, which no epoch takes (tensor2tensor drops them
// too: max_length). A step is one batch of SequenceBatches. Its samples are cut into `shares` runs of neighbours with
// as equal numbers of tokens as whole sequences allow; a share may be empty.
//
// A run that was interrupted resumes from a cursor, which says how many batches of the epoch were taken: by which
// buckets, for a run that goes on with others (a budget of tokens that grew with the ranks) cuts what the epoch has
// left into batches anew. So every sample of the epoch is seen once then too.
class SequencePlan {
 public:
  // Batches that were taken of an epoch, one after the other, with one set of buckets.
  struct Leg {
    LengthBuckets::Options buckets;
    std::int64_t batches = 0;
    bool operator==(const Leg&) const = default;
  };
  struct Cursor {
    std::int64_t step = 0;    // steps made
    std::int64_t epoch = 0;   // epochs completed
    std::vector<Leg> legs{};  // of the next epoch; none: it has not begun
    bool operator==(const Cursor&) const = default;
  };
  struct Options {
    std::vector<std::int32_t> lengths{};  // of all samples, by number: tokens, of inputs or targets the more
    std::int64_t longest = 0;             // samples beyond are dropped; 0: none
    LengthBuckets::Options buckets{};     // batch_tokens * shards: of a step
    int shares = 1;
    std::uint64_t seed = 1;
    Cursor from{};  // where it resumes
  };
  // Throws what length_buckets() throws. REQUIRES: a sample that is not dropped; shares >= 1; a cursor of this plan.
  explicit SequencePlan(Options options);

  std::int64_t dropped() const { return dropped_; }                  // samples that are too long
  std::int64_t steps_per_epoch() const { return steps_per_epoch_; }  // of a whole epoch
  // What is consumed after `step`.
  Cursor cursor(std::int64_t step) const;
  // Epochs made after `step`, a part of one included: of its samples up to the cursor, of its steps from there on.
  double epochs(std::int64_t step) const;
  // The step that completes this many epochs; at least from.step.
  std::int64_t last_step_of(std::int64_t epochs) const;
  // The samples of all shares in `step`, in order; steps count from 1 and run on over the epochs. Any thread may call.
  void batch(std::int64_t step, std::vector<std::int64_t>& sample_ids) const;
  // Those of one share: share 0's come first. Any thread may call.
  void share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const;

 private:
  struct Position {
    std::uint32_t epoch;
    std::int64_t number;  // of the batch
    bool resumed;         // in the epoch that the cursor stands in: of what it has left
  };
  void resume();
  Position position(std::int64_t step) const;

  Options options_;
  std::int64_t dropped_ = 0;
  SequenceBatches whole_;                  // of a whole epoch
  std::int64_t steps_per_epoch_ = 0;       // its batches
  std::unique_ptr<SequenceBatches> left_;  // of the epoch that the cursor stands in; null: it stands at its beginning
  std::vector<Leg> legs_before_;           // of that epoch, with other buckets
  std::int64_t left_taken_ = 0;            // batches of left_
  std::int64_t first_steps_ = 0;           // of that epoch, from the cursor on
};

}  // namespace lockstep
