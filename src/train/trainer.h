#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "base/trace.h"
#include "collective/communicator.h"
#include "data/prefetcher.h"
#include "data/shard_plan.h"
#include "model/model.h"
#include "optim/schedule.h"
#include "train/averaged_weights.h"
#include "train/report.h"
#include "train/strategy.h"

namespace lockstep {

// The training loop of one rank: read, forward, backward, agree, update; evaluate; report. All parts are the caller's
// and outlive it. COLLECTIVE: run(), on every rank with the same options.
class Trainer {
 public:
  struct Parts {
    Communicator& communicator;
    Backend& backend;
    Trace& trace;
    const Problem& problem;
    Model& model;
    const ParameterStore& parameters;
    Strategy& strategy;
    const Schedule& schedule;
    const ShardPlan& plan;
    Report& report;
    AveragedWeights* averaged = nullptr;   // evaluated instead of the parameters, if any
    Augmentation* augmentation = nullptr;  // changes what is trained on, if any
  };
  struct Options {
    std::int64_t train_steps = 0;
    std::int64_t eval_frequency = 0;                                       // 0: only at the end
    std::int64_t eval_samples = std::numeric_limits<std::int64_t>::max();  // of the split, the first ones
    std::uint64_t seed = 1;
    int first_share = 0;  // of the plan's shares, this rank's are strategy.shares() from here on
    const std::atomic<bool>* stop_requested = nullptr;  // set by anyone at any time: all ranks stop after the same step
  };

  Trainer(const Parts& parts, const Options& options);
  TrainOutcome run();

 private:
  bool plan_batch(std::int64_t n, PlannedBatch& batch) const;
  StepResult train_step(std::int64_t step);
  void train_share(std::int64_t step);
  EvaluationResult evaluate(std::int64_t step);

  Parts parts_;
  Options options_;
  Split evaluated_;
  HostAllocator host_;
  Prefetcher prefetcher_;
};

}  // namespace lockstep
