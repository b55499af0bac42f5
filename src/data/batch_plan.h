#pragma once

#include <cstdint>
#include <vector>

#include "data/length_buckets.h"
#include "data/problem.h"

namespace lockstep {

// Batches that were taken of an epoch of sequences, one after the other, with one set of buckets.
struct BatchLeg {
  LengthBuckets::Options buckets;
  std::int64_t batches = 0;
  bool operator==(const BatchLeg&) const = default;
};

// Where a run stands in its data.
struct BatchCursor {
  std::int64_t step = 0;   // steps made
  std::int64_t epoch = 0;  // epochs completed
  // Of the next epoch: samples that were taken, where a step takes a number of samples; batches, where it takes a
  // number of tokens. None: it has not begun.
  std::int64_t consumed = 0;
  std::vector<BatchLeg> legs{};
  bool operator==(const BatchCursor&) const = default;
};

// Which samples each share of a step is made of, as pure arithmetic: (seed, step, share) -> sample ids. No state to
// save, nothing to communicate; any thread may call. Which shares are a rank's, RunPlan says
// (train/config/run_plan.h). Steps count from 1 and run on over the epochs; every epoch takes each sample once.
class BatchPlan {
 public:
  using Cursor = BatchCursor;

  BatchPlan() = default;
  virtual ~BatchPlan() = default;

  virtual const Cursor& from() const = 0;  // where it begins
  virtual int shares() const = 0;          // of a step
  // Of a step: samples, or tokens of sequences at most.
  virtual std::int64_t global_batch() const = 0;
  virtual std::int64_t steps_per_epoch() const = 0;  // of a whole epoch
  // The most samples of a share, where that is known; else 0.
  virtual std::int64_t largest_share() const = 0;
  // Rows of the longest sample that an epoch takes, which is a batch where that has room for less.
  virtual std::int64_t longest_sample() const { return 1; }
  // What is consumed after `step`.
  virtual Cursor cursor(std::int64_t step) const = 0;
  // Epochs made after `step`, a part of one included.
  virtual double epochs(std::int64_t step) const = 0;
  // The step that completes this many epochs; at least from().step.
  virtual std::int64_t last_step_of(std::int64_t epochs) const = 0;
  // Samples of all shares in `step`.
  virtual std::int64_t global_count(std::int64_t step) const = 0;
  // The sample ids of one share of a step, in order. share 0's come first.
  virtual void share(std::int64_t step, int share, std::vector<std::int64_t>& sample_ids) const = 0;

  // Samples that no epoch takes, because they are too long.
  virtual std::int64_t dropped() const { return 0; }
  // How the samples are read; and the blocks to load while `step` is being read (ShardPlan::ahead).
  virtual BlockLayout layout() const { return {}; }
  virtual void ahead(std::int64_t /*step*/, std::vector<std::int64_t>& blocks) const { blocks.clear(); }

 protected:
  BatchPlan(const BatchPlan&) = default;
  BatchPlan& operator=(const BatchPlan&) = default;
};

}  // namespace lockstep
