#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/role.h"

// The roles in a job, decided before its world is formed. Pure: every process gets the facts of all, and computes the
// same plan.
namespace lockstep {

// Facts about a process. Processes are in the order in which the launcher numbered them.
struct ProcessFacts {
  std::string host;
  int local_rank = 0;                     // number among the processes of that host
  std::vector<std::string> host_names{};  // other names and numeric addresses of the host
  int gpus = 0;                           // number visible to the process
  std::string statement{};                // the program's statement about this process to the planner (Job::Options)
  // The program's knowledge of the whole job, which may be long: one object for all processes that say the same, never
  // null if Job::start() asks.
  std::shared_ptr<const std::string> description{};
};

// The plan for one process.
struct RankPlan {
  Role role = Role::worker;
  int index = 0;           // among the ranks of its role
  int color = 0;           // processes of one color form a world
  int key = 0;             // its order there: the smallest is rank 0
  bool has_shares = true;  // of the training data; a chief or worker without follows the others
};

// One RankPlan for each process. Throws Error of every rank for a job that cannot be planned.
using JobPlanner = std::function<std::vector<RankPlan>(std::span<const ProcessFacts>)>;

// The default: all train, in the launcher's order; the first is the chief.
std::vector<RankPlan> plan_workers(std::span<const ProcessFacts> processes);

// Throws Error of every rank, internal, for a planner's mistakes: a world whose ranks are not chief, workers, parameter
// servers, data ranks in this order with one chief (or evaluators alone), or in which neither chief nor worker has
// shares; a color below 0; too few or too many plans.
void check_plan(std::span<const RankPlan> plan, std::size_t processes);

}  // namespace lockstep
