#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collective/communicator.h"
#include "tensor/backend.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// Records operations into a graph, from begin() to launch(). If the block ends by an exception, they are dropped.
// Without a graph it does nothing, and operations are submitted one by one. The Backend is the graph's.
class InGraph {
 public:
  InGraph(Backend& backend, OperationGraph* graph) : backend_(backend), graph_(graph) {}
  ~InGraph() {
    if (begun_) backend_.drop_graph();
  }
  InGraph(const InGraph&) = delete;
  InGraph& operator=(const InGraph&) = delete;

  void begin();
  void launch();

 private:
  Backend& backend_;
  OperationGraph* graph_;
  bool begun_ = false;
};

// --cuda_graph: the operations of a rank's step as two graphs. Between the two the host learns the loss of the step
// before, and all ranks exchange their control values; meanwhile the device runs the first one.
//
// The first step runs without graphs, so that everything made on first use (kernels, memory, connections) exists. All
// ranks begin with graphs in the same step, because NCCL's operations are in a graph everywhere or nowhere.
class StepGraphs {
 public:
  // REQUIRES: why_no_graphs() == "".
  explicit StepGraphs(Backend& backend);

  // To be called when the next step begins. The graphs of the first step are null.
  void begin_step() { ++steps_; }
  OperationGraph* forward() const { return of_step(forward_); }
  OperationGraph* update() const { return of_step(update_); }  // includes the backward pass, and the exchange in it

  // Remark for the end of the run: how often a graph was made anew because a step had other operations than the one
  // before; "" if none was.
  std::string remark() const;

 private:
  OperationGraph* of_step(const std::unique_ptr<OperationGraph>& graph) const {
    return steps_ > 1 ? graph.get() : nullptr;
  }

  std::unique_ptr<OperationGraph> forward_;
  std::unique_ptr<OperationGraph> update_;
  std::int64_t steps_ = 0;
};

// Returns why the steps of a run cannot be graphs, with what to do about it; "" if they can.
std::string why_no_graphs(Backend& backend, const Communicator& gradients, const Strategy& strategy);

}  // namespace lockstep
