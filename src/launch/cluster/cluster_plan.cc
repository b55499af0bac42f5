#include "launch/cluster/cluster_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/json_place.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/served_strategy.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_plan(const std::string& why) { throw Error(ExitCode::configuration, why, Scope::every_rank); }

// The tasks of a cluster by purpose.
struct Tasks {
  std::optional<TaskName> leader;
  std::vector<TaskName> workers;  // besides the leader
  std::vector<TaskName> servers;
  std::vector<TaskName> evaluators;
};

std::vector<TaskName> tasks_of(const ClusterSpec& cluster, std::string_view job) {
  std::vector<TaskName> tasks;
  if (const ClusterJob* const found = cluster.find(job)) {
    for (const auto& [index, address] : found->tasks) tasks.push_back({found->name, index});
  }
  return tasks;
}

void check_jobs(const ClusterSpec& cluster) {
  for (const ClusterJob& job : cluster.jobs) {
    if (job.tasks.empty() || std::ranges::find(kJobNames, job.name) != kJobNames.end()) continue;
    refuse_plan(
        fmt::format("{}: there is no role for tasks of this name; the jobs are chief or master, worker, ps and "
                    "evaluator{}",
                    member_path("cluster", job.name),
                    did_you_mean(job.name, std::vector<std::string>(kJobNames.begin(), kJobNames.end()))));
  }
}

// The one chief or master; nothing if there is neither.
std::optional<TaskName> appointed_leader(const ClusterSpec& cluster) {
  std::vector<TaskName> leaders = tasks_of(cluster, "chief");
  for (TaskName& master : tasks_of(cluster, "master")) leaders.push_back(std::move(master));
  if (leaders.size() > 1) {
    refuse_plan(fmt::format("cluster: {} and {} cannot both lead; keep one chief or master and make the others workers",
                            describe(leaders[0]), describe(leaders[1])));
  }
  return leaders.empty() ? std::nullopt : std::optional(leaders.front());
}

Tasks sort_tasks(const TfConfig& config, ClusterPlan& plan) {
  const ClusterSpec& cluster = config.cluster;
  check_jobs(cluster);
  Tasks tasks{.leader = appointed_leader(cluster),
              .workers = tasks_of(cluster, "worker"),
              .servers = tasks_of(cluster, "ps"),
              .evaluators = tasks_of(cluster, "evaluator")};
  if (config.task && config.task->job == "evaluator" && cluster.address(*config.task) == nullptr) {
    tasks.evaluators.push_back(*config.task);
  }
  if (!tasks.leader && !tasks.workers.empty()) {
    tasks.leader = tasks.workers.front();
    tasks.workers.erase(tasks.workers.begin());
    plan.warnings.push_back(fmt::format("{} ({}) is the chief: the cluster has neither a chief nor a master",
                                        describe(*tasks.leader), escaped(*cluster.address(*tasks.leader))));
  }
  if (!tasks.leader && !tasks.servers.empty()) {
    refuse_plan(R"(cluster: it has ps tasks only, and nobody can be the chief; add "chief": ["host:port"])");
  }
  return tasks;
}

// Checks a number that T2T's flags give for the job.
void check_count(const char* flag, std::optional<int> given, std::ptrdiff_t there, const char* what) {
  if (!given || *given == there) return;
  refuse_plan(fmt::format("--{}={}, but the cluster has {}; leave the flag out or give {}", flag, *given,
                          counted(there, what), there));
}

void check_counts(const Tasks& tasks, const ClusterFlags& flags) {
  if (!tasks.leader) return;
  check_count("worker_replicas", flags.worker_replicas, std::ssize(tasks.workers) + 1, "chief, master or worker task");
  check_count("ps_replicas", flags.ps_replicas, std::ssize(tasks.servers), "ps task");
}

// The explicit strategy, for messages.
std::string written_strategy(const ClusterFlags& flags) {
  return escaped(flags.strategy_written.empty() ? flags.strategy : flags.strategy_written);
}

// Checks that the flags let the ps tasks, which do not compute, hold the parameters.
void check_servers(const Tasks& tasks, const ClusterFlags& flags) {
  const std::string servers = counted(std::ssize(tasks.servers), "ps task");
  const char* const kLeaveOut = "leave the ps tasks out of the cluster";
  if (flags.sync.value_or(false) && flags.strategy != kParameterServer) {
    refuse_plan(
        fmt::format("--sync makes the {} of the cluster compute, led by one chief or master, but it has {} as "
                    "well; take the workers out, or {}",
                    servers, counted(std::ssize(tasks.workers), "worker"), kLeaveOut));
  }
  if (!flags.strategy.empty() && flags.strategy != kParameterServer) {
    refuse_plan(
        fmt::format("--strategy={} has no use for the {} of the cluster; give --strategy={} for them to hold the "
                    "parameters, {}, or, where there is only one other task, give --sync for them to compute",
                    written_strategy(flags), servers, kParameterServer, kLeaveOut));
  }
}

// Checks that a strategy which needs servers is not asked for where the cluster has none.
void check_without_servers(const Tasks& tasks, const ClusterFlags& flags) {
  if (!tasks.leader || flags.strategy != kParameterServer) return;
  refuse_plan(
      fmt::format("--strategy={}: the cluster has no ps task to hold the parameters; add one to it "
                  "(\"ps\": [\"host:port\"]), or give another --strategy",
                  written_strategy(flags)));
}

}  // namespace

int ranks_of(const PlannedTask& task, std::optional<int> ranks, int gpus) {
  return std::max(1, ranks.value_or(task.leads_only ? 0 : gpus));
}

Role role_of(const PlannedTask& task, int index) {
  return task.role == Role::chief && index > 0 ? Role::worker : task.role;
}

ClusterPlan plan_cluster(const TfConfig& config, const ClusterFlags& flags) {
  ClusterPlan plan;
  const Tasks tasks = sort_tasks(config, plan);
  check_counts(tasks, flags);

  const bool may_compute = tasks.workers.empty() && tasks.leader && flags.sync.value_or(tasks.leader->job == "master");
  const bool servers_compute = !tasks.servers.empty() && may_compute && flags.strategy != kParameterServer;
  if (tasks.servers.empty()) {
    check_without_servers(tasks, flags);
  } else if (!servers_compute) {
    check_servers(tasks, flags);
    plan.strategy = kParameterServer;
  }
  if (servers_compute && !flags.sync) {
    plan.warnings.push_back(
        fmt::format("the {} of the cluster {}, led by {}, as with --sync, since neither --sync nor --nosync is given",
                    counted(std::ssize(tasks.servers), "ps task"), tasks.servers.size() == 1 ? "computes" : "compute",
                    describe(*tasks.leader)));
  }

  const auto add = [&](const TaskName& task, Role role, std::optional<int> ranks) -> PlannedTask& {
    const std::string* const address = config.cluster.address(task);
    return plan.tasks.emplace_back(
        PlannedTask{.task = task, .address = address == nullptr ? "" : *address, .role = role, .ranks = ranks});
  };
  if (tasks.leader) add(*tasks.leader, Role::chief, flags.worker_gpu).leads_only = servers_compute;
  for (const TaskName& task : tasks.workers) add(task, Role::worker, flags.worker_gpu);
  for (const TaskName& task : tasks.servers) {
    if (servers_compute) {
      add(task, Role::worker, flags.ps_gpu);
    } else {
      add(task, Role::parameter_server, 1);
    }
  }
  for (const TaskName& task : tasks.evaluators) add(task, Role::evaluator, flags.worker_gpu);
  return plan;
}

}  // namespace lockstep
