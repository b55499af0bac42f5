#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "batches.h"
#include "counted_allocator.h"
#include "options.h"
#include "report.h"
#include "timed_backend.h"
#include "train/late_losses.h"
#include "train/step_graphs.h"
#include "train/strategy/sync.h"

namespace lockstep::bench {

// A rank's part of the training, step by step, and what it took. On a GPU the host waits for it at the end of a group
// only; where a step's time goes there, steps of their own say, in which the host waits for each operation.
//
// COLLECTIVE, all that makes steps. Communicator, Backend and Trace outlive it. One thread.
class Training {
 public:
  // communicator: of the ranks that train together, on that backend. rank: which batches.
  Training(const StepOptions& options, Communicator& communicator, Backend& backend, int rank, Trace& trace);

  void warm_up();
  // A group of steps. Returns the microseconds of one.
  double run_group();
  std::int64_t group_steps() const { return group_steps_; }

  // What each operation takes by itself. REQUIRES: on a GPU.
  void run_split();
  // What the sums of the gradients take, while nothing else is done. The gradients are used up.
  void run_exchange();

  bool on_host() const { return on_host_; }
  Network& network() { return network_; }
  // With what is known at the end.
  StepTimes& times();

 private:
  // Without what a step's time does not count.
  void forget_times();
  void step();
  // Where operations are timed by themselves, they are submitted one by one.
  bool as_graphs() const { return graphs_.has_value() && !splitting_; }
  ControlValues forward(const Batch& batch, Pass& pass);
  void on_gradient_ready(FlatRange range);
  void begin_pass(TimedBackend::Phase phase);
  void end_pass();

  Communicator& communicator_;
  bool on_host_;
  std::int64_t group_steps_;
  Network network_;
  TimedBackend backend_;
  CountedAllocator shared_memory_;  // the communicator's
  ParameterStore parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  Replica replica_;
  std::unique_ptr<Strategy> strategy_;
  Batches batches_;
  std::optional<LateLosses> losses_;  // on a GPU
  std::optional<StepGraphs> graphs_;  // with --cuda_graph
  StepTimes times_;
  bool splitting_ = false;
  std::int64_t step_ = 0;
};

}  // namespace lockstep::bench
