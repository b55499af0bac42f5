#include "train/step/step_graphs.h"

#include <fmt/format.h>

#include "base/counted.h"

namespace lockstep {

void InGraph::begin() {
  if (graph_ == nullptr || begun_) return;
  graph_->begin();
  begun_ = true;
}

void InGraph::launch() {
  if (!begun_) return;
  begun_ = false;
  graph_->launch();
}

StepGraphs::StepGraphs(Backend& backend) : forward_(backend.make_graph()), update_(backend.make_graph()) {}

std::string StepGraphs::remark() const {
  const std::int64_t made = forward_->made() + update_->made();
  const std::int64_t at_least = (forward_->made() > 0 ? 1 : 0) + (update_->made() > 0 ? 1 : 0);
  if (made == at_least) return "";
  return fmt::format("of {} the graphs were made anew {}, where a step had other operations than the one before",
                     counted(steps_, "step"), counted(made - at_least, "time"));
}

std::string why_no_graphs(Backend& backend, const Communicator& gradients, const Strategy& strategy) {
  if (backend.make_graph() == nullptr) {
    return fmt::format("{} takes operations one by one; give --device=cuda, or leave the flag out",
                       backend.device().text());
  }
  if (!strategy.results_are_late()) {
    return "the host waits for the GPU in a step of this strategy; give --strategy=sync, or leave the flag out";
  }
  if (!gradients.works_in_graphs()) {
    return fmt::format(
        "gradients are summed over {}, where the host takes part; it takes nccl, and a GPU for each "
        "rank, or leave the flag out",
        gradients.name());
  }
  if (strategy.shares() > 1) {
    return fmt::format(
        "a rank of this run computes {} in a step, one after the other, and a graph takes one; give "
        "more ranks or a smaller batch, without --exact and optimizer_multistep_accumulate_steps, or "
        "leave the flag out",
        counted(strategy.shares(), "share"));
  }
  return "";
}

}  // namespace lockstep
