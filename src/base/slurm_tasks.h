#pragma once

#include <optional>
#include <string_view>

namespace lockstep {

// The tasks on node number `node` (from 0) of "2(x3),1", as Slurm writes tasks per node (SLURM_STEP_TASKS_PER_NODE,
// SLURM_TASKS_PER_NODE); nothing if the text does not say.
std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node);

}  // namespace lockstep
