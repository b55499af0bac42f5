#include <fmt/format.h>

#include "base/error.h"
#include "base/slurm_lists.h"
#include "launch/tools/translate/sources/rank_sources.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_slurm(const std::string& why) { throw Error(ExitCode::configuration, why, Scope::every_rank); }

// A variable that must be set, since its counterpart `other` is.
std::string needed(const Environment& environment, const char* name, const char* other) {
  const auto value = environment(name);
  if (!value)
    refuse_slurm(fmt::format("{} is set, but {} is not: both are needed to say where the ranks are", other, name));
  return *value;
}

}  // namespace

RankList ranks_of_slurm(std::string_view hostlist, std::string_view tasks_per_node, const std::string& source) {
  const std::vector<std::string> hosts = expand_hostlist(hostlist);
  const std::vector<int> tasks = expand_tasks_per_node(tasks_per_node);
  if (hosts.size() != tasks.size()) {
    refuse_slurm(fmt::format("{} stands for {} hosts, and the list of tasks for {}; they have to be as many", source,
                             hosts.size(), tasks.size()));
  }
  std::vector<HostRun> runs;
  std::size_t ranks = 0;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    ranks += static_cast<std::size_t>(tasks[i]);
    if (ranks > kMaxSlurmNodes) refuse_slurm(fmt::format("{}: it has more than {} tasks", source, kMaxSlurmNodes));
    runs.push_back({.host = hosts[i], .ranks = tasks[i]});
  }
  return list_of_hosts(source, runs);
}

std::optional<RankList> ranks_in_slurm(const Environment& environment, bool is_step) {
  const auto hosts_of_step = environment("SLURM_STEP_NODELIST");
  if (is_step && hosts_of_step) {
    return ranks_of_slurm(*hosts_of_step, needed(environment, "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NODELIST"),
                          "SLURM_STEP_NODELIST");
  }
  const auto hosts = environment("SLURM_JOB_NODELIST");
  if (!hosts) return {};
  return ranks_of_slurm(*hosts, needed(environment, "SLURM_TASKS_PER_NODE", "SLURM_JOB_NODELIST"),
                        "SLURM_JOB_NODELIST");
}

}  // namespace lockstep
