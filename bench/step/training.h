#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "batches.h"
#include "counted_allocator.h"
#include "options.h"
#include "report.h"
#include "timed_backend.h"
#include "train/step/late_losses.h"
#include "train/step/step_graphs.h"
#include "train/strategy/sync.h"

namespace lockstep::bench {

// One rank's part of the training, step by step, and its times. On a GPU the host waits only at the end of a group;
// separate steps, in which it waits for each operation, show where the time goes.
//
// The constructor, warm_up() and the run functions are COLLECTIVE. Communicator, Backend and Trace outlive it. One
// thread.
class Training {
 public:
  // communicator: connects the ranks that train together, on that backend. rank: selects the batches. Throws
  // Error(configuration) for a precision that the backend lacks, or if there can be no graphs.
  Training(const StepOptions& options, Communicator& communicator, Backend& backend, int rank, Trace& trace);

  void warm_up();
  // Runs a group of steps. Returns microseconds per step.
  double run_group();
  std::int64_t group_steps() const { return group_steps_; }

  // Measures each operation by itself. REQUIRES: on a GPU.
  void run_split();
  // Measures the sums of the gradients while nothing else runs. Overwrites the gradients.
  void run_exchange();

  bool on_host() const { return on_host_; }
  Network& network() { return network_; }
  // The times, with the most memory held so far filled in.
  StepTimes& times();

 private:
  // Drops the times of the parts of a step.
  void forget_times();
  void step();
  // Returns whether to use graphs. Operations timed by themselves are submitted one by one.
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
  CountedAllocator shared_memory_;  // counts the communicator's memory
  ParameterStore parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  Replica replica_;
  std::unique_ptr<Strategy> strategy_;
  Batches batches_;
  std::optional<LateLosses> losses_;  // none on the CPU
  std::optional<StepGraphs> graphs_;  // none without --cuda_graph
  StepTimes times_;
  bool splitting_ = false;
  std::int64_t step_ = 0;
};

}  // namespace lockstep::bench
