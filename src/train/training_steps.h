#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/trace.h"
#include "data/augmentation.h"
#include "data/batch_plan.h"
#include "data/device_batches.h"
#include "data/prefetcher.h"
#include "data/problem.h"
#include "model/model.h"
#include "model/parameter_store.h"
#include "tensor/backend.h"
#include "train/late_losses.h"
#include "train/requests.h"
#include "train/step_graphs.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// Makes the steps of one rank, in their order: reads its shares of the batch, computes forward and backward, and leaves
// the rest to a strategy. A thread reads ahead. All parts are the caller's and outlive it. Main thread.
class TrainingSteps {
 public:
  struct Parts {
    Backend& backend;
    Trace& trace;
    const Problem& problem;
    Model& model;
    const ParameterStore& parameters;
    const BatchPlan& plan;                 // the first step is its from().step + 1
    Augmentation* augmentation = nullptr;  // changes what is trained on, if any
    const Requests* requests = nullptr;    // votes travel with the control values; null: none
  };
  struct Options {
    std::int64_t last = 0;  // step that there can be
    int first_share = 0;    // of the plan's shares of a step this rank has `shares`, from here on
    int shares = 0;
    std::uint64_t seed = 1;
    bool graphs = false;  // REQUIRES: why_no_graphs() == ""
  };

  TrainingSteps(const Parts& parts, const Options& options);

  // COLLECTIVE, as the strategy's step is. REQUIRES: a strategy of as many shares; the step after the last call's.
  StepResult make(Strategy& strategy, std::int64_t step, double learning_rate);
  // The result of the last step where the strategy's are late; step 0 where it is known already. Waits for the device.
  // COLLECTIVE.
  StepResult finish(Strategy& strategy);

  // What is to be said of their graphs at the end, if anything.
  std::string graphs_remark() const { return graphs_ ? graphs_->remark() : ""; }

 private:
  bool plan_batch(std::int64_t n, PlannedBatch& batch) const;
  std::int64_t own_requests() const { return parts_.requests != nullptr && parts_.requests->any() ? 1 : 0; }
  ControlValues forward(Strategy& strategy, const Batch& batch, Pass& pass);
  // update: its backward pass is part of that.
  void compute_share(Strategy& strategy, std::int64_t step, BatchSource& batches, InGraph& update);

  Parts parts_;
  Options options_;
  std::optional<Prefetcher> prefetcher_;  // none on a rank without shares
  std::optional<DeviceBatches> copies_;   // on a device
  std::optional<LateLosses> losses_;      // likewise
  std::optional<StepGraphs> graphs_;      // where they were asked for
};

}  // namespace lockstep
