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
#include "train/step/late_losses.h"
#include "train/step/requests.h"
#include "train/step/step_graphs.h"
#include "train/step/step_numbers.h"
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
    Augmentation* augmentation = nullptr;  // changes training inputs; null: none
    const Requests* requests = nullptr;    // whether there are any is a control value; null: none
  };
  struct Options {
    std::int64_t last = 0;  // last step of the run
    int first_share = 0;    // the first of this rank's `shares` consecutive shares of the plan's step
    int shares = 0;
    std::uint64_t seed = 1;
    bool graphs = false;   // if true, why_no_graphs() is ""
    bool in_order = true;  // Strategy::steps_in_order(); if not, a batch is read when its step is made
  };

  TrainingSteps(const Parts& parts, const Options& options);
  ~TrainingSteps() { numbers_.close(); }
  TrainingSteps(const TrainingSteps&) = delete;
  TrainingSteps& operator=(const TrainingSteps&) = delete;

  // Makes a step. COLLECTIVE. REQUIRES: Strategy::shares() is Options::shares; in order, `step` is one more than at the
  // last call.
  StepResult make(Strategy& strategy, std::int64_t step, double learning_rate);
  // If the strategy's results are late, waits for the device and returns the result of the last step; if steps are
  // handed out, returns that of steps that others have made since; else returns one with step 0. COLLECTIVE.
  StepResult finish(Strategy& strategy);

  // Remark on the graphs for the end of the run, if there is one.
  std::string graphs_remark() const { return graphs_ ? graphs_->remark() : ""; }

 private:
  std::optional<std::int64_t> step_of_batch(std::int64_t n);
  bool plan_batch(std::int64_t n, PlannedBatch& batch);
  std::int64_t own_requests() const { return parts_.requests != nullptr && parts_.requests->any() ? 1 : 0; }
  ControlValues forward(Strategy& strategy, const Batch& batch, Pass& pass);
  // update: the graph that the backward pass is part of.
  void compute_share(Strategy& strategy, std::int64_t step, BatchSource& batches, InGraph& update);

  Parts parts_;
  Options options_;
  StepNumbers numbers_;                   // unused if steps come in order
  std::int64_t reading_ = 0;              // the step whose batches are being read; the reading thread's
  std::optional<Prefetcher> prefetcher_;  // none on a rank without shares
  std::optional<DeviceBatches> copies_;   // none on the CPU
  std::optional<LateLosses> losses_;      // none on the CPU
  std::optional<StepGraphs> graphs_;      // none without Options::graphs
};

}  // namespace lockstep
