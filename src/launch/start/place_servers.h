#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "launch/job/job_plan.h"

// The parameter servers of a job that no cluster describes: which of its processes they are, by the launcher's numbers.
// Process 0 is the chief, and never one of them. Pure.
namespace lockstep {

// Chooses as many processes: the last one of each host in turn, then the last but one of each, so that the servers are
// spread over the hosts and the ranks that train keep the first places. The hosts are in the order of their first
// processes. REQUIRES: count is less than the number of processes.
std::vector<int> choose_servers(std::span<const ProcessFacts> processes, std::int64_t count);

// The processes of --ps_ranks, a list such as "3,7" or "2-3,7", in its order. Throws Error of every rank: usage for a
// text that is no such list, or names a process twice or the chief; configuration for a process that the job lacks.
std::vector<int> listed_servers(const std::string& list, std::size_t processes);

// Makes the plan of a job with these servers: the chief, the other processes in the launcher's order as workers, then
// the servers in the order of the list.
std::vector<RankPlan> plan_with_servers(std::size_t processes, std::span<const int> servers);

}  // namespace lockstep
