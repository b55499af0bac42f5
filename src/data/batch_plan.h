#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/length_buckets.h"
#include "data/problem.h"

namespace lockstep {

// Consecutive batches of an epoch of sequences, made with one set of buckets.
struct BatchLeg {
  LengthBuckets::Options buckets;
  std::int64_t batches = 0;
  bool operator==(const BatchLeg&) const = default;
};

// Position of a run in its data.
struct BatchCursor {
  std::int64_t step = 0;   // steps made
  std::int64_t epoch = 0;  // epochs completed
  // Progress in the epoch after those: `consumed` samples if a step takes a number of samples, the batches of `legs` if
  // it takes a number of tokens. 0 and no legs: the epoch has not begun.
  std::int64_t consumed = 0;
  std::vector<BatchLeg> legs{};
  // Batches before this position that no update has applied: the samples of each, in order. A run that resumes takes
  // them first, one in a step (data/missed_first_plan.h).
  std::vector<std::vector<std::int64_t>> missed{};
  bool operator==(const BatchCursor&) const = default;
};

// Assigns samples to each share of a step by pure arithmetic: (seed, step, share) -> sample ids. No state to save,
// nothing to communicate; any thread may call. RunPlan says which shares belong to a rank (train/config/run_plan.h).
// Steps count from 1 and continue over the epochs; every epoch takes each sample once.
class BatchPlan {
 public:
  using Cursor = BatchCursor;

  BatchPlan() = default;
  virtual ~BatchPlan() = default;

  virtual const Cursor& from() const = 0;  // start of the plan
  virtual int shares() const = 0;          // number of shares in a step
  // Returns whether the size of a step is its tokens, else it is its samples.
  virtual bool counts_tokens() const { return false; }
  // Size of a step: number of samples, or the most tokens of sequences.
  virtual std::int64_t global_batch() const = 0;
  virtual std::int64_t steps_per_epoch() const = 0;  // steps of a whole epoch
  // The most samples in a share; 0 if unknown.
  virtual std::int64_t largest_share() const = 0;
  // Rows of the longest sample of an epoch. It forms a batch by itself if a batch has room for less.
  virtual std::int64_t longest_sample() const { return 1; }
  // Position after `step`.
  virtual Cursor cursor(std::int64_t step) const = 0;
  // Epochs completed after `step`, including a fraction of one.
  virtual double epochs(std::int64_t step) const = 0;
  // The step that completes this many epochs; at least from().step.
  virtual std::int64_t last_step_of(std::int64_t epochs) const = 0;
  // Samples of all shares in `step`.
  virtual std::int64_t global_count(std::int64_t step) const = 0;
  // The sample ids of one share of a step, in order. A step begins with the samples of share 0.
  virtual void share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const = 0;
  // The samples of `batch` that belong to a share if a step takes this batch, in order. `batch` may be of another plan
  // over the same samples, and of any size.
  virtual void share_of(std::span<const std::int64_t> batch, int share,
                        std::vector<std::int64_t>& sample_ids) const = 0;

  // Samples that no epoch takes, because they are too long.
  virtual std::int64_t dropped() const { return 0; }
  // layout() says how samples are read; ahead() gives the blocks to load while `step` is read (as ShardPlan's).
  virtual BlockLayout layout() const { return {}; }
  virtual void ahead(std::int64_t /*step*/, std::vector<std::int64_t>& blocks) const { blocks.clear(); }

 protected:
  BatchPlan(const BatchPlan&) = default;
  BatchPlan& operator=(const BatchPlan&) = default;
};

}  // namespace lockstep
