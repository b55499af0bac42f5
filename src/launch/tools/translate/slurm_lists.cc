#include "launch/tools/translate/slurm_lists.h"

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/slurm_lists.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_lists(const std::string& why) { throw Error(ExitCode::usage, why, Scope::every_rank); }

// The place of each rank: its host, and its number among the ranks there.
Json ranks_of(const std::vector<std::string>& hosts, const std::vector<int>& tasks) {
  if (hosts.size() != tasks.size()) {
    refuse_lists(fmt::format("--hostlist stands for {} hosts and --tasks_per_node for {}; they have to be as many",
                             hosts.size(), tasks.size()));
  }
  Json::Array ranks;
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    if (static_cast<std::size_t>(tasks[node]) > kMaxSlurmNodes - ranks.size()) {
      refuse_lists(
          fmt::format("--tasks_per_node stands for more than {} tasks, the most that are shown", kMaxSlurmNodes));
    }
    for (std::int64_t local_rank = 0; local_rank < tasks[node]; ++local_rank) {
      const auto rank = static_cast<std::int64_t>(ranks.size());
      ranks.push_back(Json::Object{{"rank", rank}, {"host", hosts[node]}, {"local_rank", local_rank}});
    }
  }
  return ranks;
}

Json slurm_lists(const CommandLine& line) {
  std::vector<std::string> hosts;
  if (line.given("hostlist")) hosts = expand_hostlist(line.text("hostlist"));
  if (!line.given("tasks_per_node")) return Json::Array(hosts.begin(), hosts.end());
  const std::vector<int> tasks = expand_tasks_per_node(line.text("tasks_per_node"));
  if (line.given("hostlist")) return ranks_of(hosts, tasks);
  return Json::Array(tasks.begin(), tasks.end());
}

}  // namespace

ExitCode translate_slurm_lists(const CommandLine& line, const Environment& /*environment*/, const Print& print) {
  try {
    print(slurm_lists(line).text() + "\n");
  } catch (const std::invalid_argument&) {
    line.refuse("hostlist", "not UTF-8, and so no names of hosts");
  }
  return ExitCode::done;
}

}  // namespace lockstep
