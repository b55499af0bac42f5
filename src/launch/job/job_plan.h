#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/role.h"

// The roles in a job, decided before its worlds are formed. Pure: every process gets the facts of all, and computes
// the same plan.
namespace lockstep {

// Facts about a process. Processes are in the order in which the launcher numbered them.
struct ProcessFacts {
  std::string host;
  int local_rank = 0;                     // number among the processes of that host
  std::vector<std::string> host_names{};  // other names and numeric addresses of the host
  int gpus = 0;                           // number visible to the process
  std::string statement{};                // the program's statement about this process to the planner (Job::Options)
  // A text about the whole job (Job::Options), perhaps long: processes with equal texts share one object. Not null in
  // the facts that Job::start() gives to a planner.
  std::shared_ptr<const std::string> description{};
};

// The plan for one process.
struct RankPlan {
  Role role = Role::worker;
  int index = 0;           // among the ranks of its role
  int color = 0;           // processes of one color form a world
  int key = 0;             // orders the ranks of a world: the smallest is rank 0
  bool has_shares = true;  // of the training data; a chief or worker without shares computes no gradients
};

// Makes one RankPlan for each process. Throws Error with Scope::every_rank if the job cannot be planned.
using JobPlanner = std::function<std::vector<RankPlan>(std::span<const ProcessFacts>)>;

// Makes the default plan: all processes train, in the launcher's order; the first is the chief.
std::vector<RankPlan> plan_workers(std::span<const ProcessFacts> processes);

// Throws Error(internal) with Scope::every_rank unless each process has one plan, no color is negative, and each world
// consists either of evaluators alone, or of one chief, workers, parameter servers and data ranks in this order, where
// the chief or a worker has shares.
void check_plan(std::span<const RankPlan> plan, std::size_t processes);

}  // namespace lockstep
