#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/table.h"
#include "launch/job/job_plan.h"
#include "train/config/settings.h"
#include "train/strategy/strategy_kind.h"

namespace lockstep {

// The roles by process, in the launcher's order.
struct StartRoles {
  std::vector<RankPlan> ranks;
  std::vector<std::int64_t> worker_ids;  // T2T's numbers of the training tasks, 0 for the chief's; -1: none
  std::string strategy{};                // the one that the roles require: kParameterServer; "" for any
};

// The roles of a job that only flags describe, for the most part T2T's launch flags:
//
//   --ps_replicas=K, --ps_ranks=LIST   these ranks are parameter servers (launch/start/place_servers.h), the others
//                                      train; no other --strategy than parameter_server, which needs one of the two
//   --sync --ps_replicas=K             K tasks compute, and the first rank leads them, with a share of the data if
//                                      --worker_gpu says so; any --strategy but parameter_server
//   neither                            `otherwise` makes the plan
//
// --worker_replicas times --worker_gpu has to be the number of ranks that train, or --worker_gpu alone to divide it. A
// parameter server is one rank, whatever --ps_gpu says. A flag with its default value says nothing. Pure. flags: those
// of the whole job. Throws Error of every rank: configuration, with the flags, and the command that starts as many
// ranks as they need; and as listed_servers() does.
StartRoles plan_by_flags(const TrainSettings& flags, const Table<StrategyKind>& strategies,
                         std::span<const ProcessFacts> processes, const JobPlanner& otherwise);

}  // namespace lockstep
