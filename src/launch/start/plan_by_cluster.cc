#include "launch/start/plan_by_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "launch/cluster/cluster_descriptions.h"
#include "launch/cluster/place_tasks.h"
#include "launch/start/cluster_sources.h"
#include "launch/start/stated_cluster.h"
#include "train/config/settings.h"

namespace lockstep {
namespace {

// Merges the clusters that the processes describe, each description once.
ClusterSpec stated_by_all(std::span<const ProcessFacts> processes) {
  std::vector<ClusterDescription> descriptions;
  std::set<const std::string*> seen;  // processes that say the same share one text
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::string& text = *processes[i].description;
    if (text.empty() || !seen.insert(&text).second) continue;
    descriptions.push_back(
        {.source = fmt::format("process {} on {}", i, processes[i].host),
         .config = {.cluster = described_cluster(text), .task = {}, .environment = {}, .warnings = {}}});
  }
  return merged_cluster(descriptions);
}

// Returns whether all processes have one TF_CONFIG, which names one task of several and so does not say which task a
// process is. An evaluator's does: evaluators may be all that was started.
bool one_for_all(std::span<const ProcessStatement> statements, const ClusterSpec& cluster) {
  const auto& first = statements.front().task;
  if (first && first->job == "evaluator") return false;
  const auto same = [&](const ProcessStatement& other) { return other.task == first; };
  return statements.size() > 1 && cluster.tasks() > 1 && std::ranges::all_of(statements, same);
}

// The ranks of a task of that job, as its own process says.
std::optional<int> own_ranks(const std::string& job, const GivenFlags& given) {
  const bool serves = job == "ps";
  TrainSettings settings;
  if (!assign_given(given, serves ? "ps_gpu" : "worker_gpu", settings)) return {};
  return static_cast<int>((serves ? settings.ps_gpu : settings.worker_gpu).value_or(0));
}

std::vector<ClusterProcess> cluster_processes(std::span<const ProcessFacts> processes,
                                              std::span<const ProcessStatement> statements, bool say_their_task) {
  std::vector<ClusterProcess> result;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    ClusterProcess process{.host_names = {processes[i].host}, .gpus = processes[i].gpus};
    process.host_names.insert(process.host_names.end(), processes[i].host_names.begin(), processes[i].host_names.end());
    if (const auto& task = statements[i].task; say_their_task && task) {
      process.task = task;
      process.ranks = own_ranks(task->job, statements[i].given);
    }
    result.push_back(std::move(process));
  }
  return result;
}

// Text for the end of a message: the sources of the cluster, how to run without it, and which process has no
// description.
std::string describe_telling(std::span<const ProcessFacts> processes, std::span<const ProcessStatement> statements) {
  const auto told = std::ranges::find_if(statements, [](const auto& each) { return !each.told_by.empty(); });
  if (told == statements.end()) return {};
  std::string text = fmt::format(". The cluster is that of {}: {} for a job without it", told->told_by,
                                 how_to_do_without(told->told_by));
  const auto untold =
      std::ranges::find_if(processes, [](const ProcessFacts& facts) { return facts.description->empty(); });
  if (untold != processes.end()) {
    text += fmt::format(". Process {} on {} was told nothing of the cluster: {}", untold - processes.begin(),
                        untold->host, how_to_pass_on(told->told_by));
  }
  return text;
}

// The evaluator task of the first process that says it has one; it may be outside the cluster.
std::optional<TaskName> stated_evaluator(std::span<const ProcessStatement> statements) {
  for (const ProcessStatement& statement : statements) {
    if (statement.task && statement.task->job == "evaluator") return statement.task;
  }
  return {};
}

}  // namespace

bool has_cluster(std::span<const ProcessFacts> processes) {
  return std::ranges::any_of(processes, [](const ProcessFacts& facts) { return !facts.description->empty(); });
}

std::int64_t worker_id(const TaskName& task, bool has_chief) {
  if (task.job == "chief" || task.job == "master") return 0;
  if (task.job == "worker") return task.index + (has_chief ? 1 : 0);
  return -1;
}

std::size_t leading_process(std::span<const ProcessStatement> statements) {
  const auto with = [&](const auto& is_it) {
    const auto found =
        std::ranges::find_if(statements, [&](const ProcessStatement& each) { return each.task && is_it(*each.task); });
    return static_cast<std::size_t>(found - statements.begin());
  };
  const std::size_t lead = with([](const TaskName& task) { return task.job == "chief" || task.job == "master"; });
  if (lead < statements.size()) return lead;
  const std::size_t first = with([](const TaskName& task) { return task == TaskName{.job = "worker", .index = 0}; });
  return first < statements.size() ? first : 0;
}

StartRoles plan_by_cluster(std::span<const ProcessFacts> processes, std::span<const ProcessStatement> statements,
                           const ClusterFlags& flags, std::vector<std::string>& warnings) {
  const ClusterSpec cluster = stated_by_all(processes);
  const bool say_their_task = !one_for_all(statements, cluster);
  TfConfig config{.cluster = cluster, .task = {}, .environment = {}, .warnings = {}};
  if (say_their_task) config.task = stated_evaluator(statements);
  ClusterPlan plan;
  TaskPlacement placement;
  try {
    plan = plan_cluster(config, flags);
    placement = place_tasks(plan, cluster_processes(processes, statements, say_their_task));
  } catch (const Error& error) {
    throw Error(error.code(), error.what() + describe_telling(processes, statements), error.scope());
  }
  warnings.insert(warnings.end(), plan.warnings.begin(), plan.warnings.end());
  warnings.insert(warnings.end(), placement.warnings.begin(), placement.warnings.end());

  const bool has_chief = cluster.tasks_of("chief") + cluster.tasks_of("master") > 0;
  StartRoles roles{.ranks = {}, .worker_ids = {}, .strategy = plan.strategy};
  for (const PlacedProcess& process : placement.processes) {
    roles.ranks.push_back(process.plan);
    roles.worker_ids.push_back(worker_id(process.task, has_chief));
  }
  return roles;
}

}  // namespace lockstep
