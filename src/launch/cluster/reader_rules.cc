#include "launch/cluster/reader_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/json_place.h"
#include "base/nearest.h"
#include "base/printable.h"

namespace lockstep {
namespace {

enum Readers : unsigned { kByEstimator = 1, kByResolver = 2, kByBoth = 3 };

// A cluster and a task as one reader sees them.
struct Statement {
  const ClusterSpec& cluster;
  const StatedTask& task;
  std::string type;         // the task's; "" if it is missing
  const ClusterJob* job;    // the job of that name; null: the cluster has none
  std::string_view leader;  // the job that leads for the estimator
  bool looks_up;            // true if this reader looks for the task in the cluster

  bool is_alone() const { return cluster.jobs.empty(); }
};

using Verdict = std::optional<ReaderRefusal>;

Verdict fault(std::string path, std::string why) { return ReaderRefusal{std::move(path), std::move(why)}; }

std::string job_path(std::string_view job) { return member_path("cluster", job); }

Verdict stranger_without_cluster(const Statement& stated) {
  constexpr const char* kWhy = "{} needs a cluster, and there is none; without one the task is worker 0";
  const std::string type = stated.task.type.value_or("worker");
  const std::int64_t index = stated.task.index.value_or(0);
  if (!stated.is_alone() || (type == "worker" && index == 0)) return {};
  return type != "worker" ? fault("task.type", fmt::format(kWhy, in_quotes(type)))
                          : fault("task.index", fmt::format(kWhy, index));
}

Verdict chief_beside_master(const Statement& stated) {
  if (stated.leader != "master" || stated.cluster.find("chief") == nullptr) return {};
  return fault("cluster.chief", "there is a master already; keep one of chief and master");
}

// The leader has to be exactly one task, at index 0.
Verdict not_one_leader(const Statement& stated) {
  if (stated.is_alone()) return {};
  const ClusterJob* const job = stated.cluster.find(stated.leader);
  if (job == nullptr) return fault("cluster", R"(it has no chief; add "chief": ["host:port"])");
  if (job->tasks.empty()) return fault(job_path(job->name), "it has no task; name the chief's address");
  if (job->tasks.rbegin()->first <= 0) return {};
  constexpr const char* kWhy = "there can be one {} only, at index 0; name the others under \"worker\"";
  return fault(job_path(job->name), fmt::format(kWhy, job->name));
}

Verdict missing_type(const Statement& stated) {
  if (stated.is_alone() || !stated.type.empty()) return {};
  return fault("task.type", R"(it is missing; add "task": {"type": ..., "index": ...})");
}

Verdict faulty_evaluator(const Statement& stated) {
  if (stated.type != "evaluator") return {};
  if (stated.leader == "master") {
    return fault("task.type", "there is no evaluator beside a master; name it \"chief\"");
  }
  if (!stated.task.index) return fault("task.index", "it is missing");
  return *stated.task.index < 0 ? fault("task.index", fmt::format("{} is below 0", *stated.task.index)) : Verdict();
}

Verdict unknown_job(const Statement& stated) {
  const std::vector<std::string> known = {"chief", "worker", "evaluator", "ps"};
  const auto job = std::ranges::find_if(
      stated.cluster.jobs, [&](const std::string& name) { return std::ranges::find(known, name) == known.end(); },
      &ClusterJob::name);
  if (job == stated.cluster.jobs.end()) return {};
  return fault(job_path(job->name),
               "there are the jobs chief, worker, ps and evaluator only" + did_you_mean(job->name, known));
}

Verdict several_leaders(const Statement& stated) {
  for (const std::string_view job : {"chief", "evaluator"}) {
    if (stated.cluster.tasks_of(job) > 1) return fault(job_path(job), fmt::format("there can be one {} only", job));
  }
  return {};
}

Verdict no_such_job(const Statement& stated) {
  if (!stated.looks_up || stated.job != nullptr) return {};
  std::vector<std::string> jobs = {"evaluator"};  // it need not be in the cluster
  for (const ClusterJob& job : stated.cluster.jobs) jobs.push_back(job.name);
  return fault("task.type", fmt::format("{} is no job of the cluster{}; name the job that this process belongs to",
                                        in_quotes(stated.type), did_you_mean(stated.type, jobs)));
}

Verdict no_such_task(const Statement& stated) {
  if (!stated.looks_up) return {};
  const auto& [job, tasks] = *stated.job;
  const std::optional<std::int64_t> index = stated.task.index;
  if (index && tasks.contains(*index)) return {};
  const std::string last = tasks.empty() ? "none" : fmt::format("{}", tasks.rbegin()->first);
  return fault("task.index",
               index ? fmt::format("{} is no task of {}, whose last index is {}", *index, job_path(job), last)
                     : fmt::format("it is missing; {} has {}, the first is 0", job_path(job),
                                   counted(std::ssize(tasks), "task")));
}

// A sparse map can have a task at an index that is not below the number of tasks.
Verdict index_beyond_count(const Statement& stated) {
  const std::int64_t index = stated.task.index.value_or(0);
  if (!stated.looks_up || index < std::ssize(stated.job->tasks)) return {};
  return fault("task.index", fmt::format("{} is not below the number of tasks in {}, which is {}", index,
                                         job_path(stated.job->name), stated.job->tasks.size()));
}

// The faults that the readers find, in their order.
constexpr struct {
  Readers readers;
  Verdict (*find)(const Statement& stated);
} kFaults[] = {
    {kByEstimator, stranger_without_cluster},
    {kByEstimator, chief_beside_master},
    {kByEstimator, not_one_leader},
    {kByEstimator, missing_type},
    {kByEstimator, faulty_evaluator},
    {kByResolver, unknown_job},
    {kByResolver, several_leaders},
    {kByBoth, no_such_job},
    {kByBoth, no_such_task},
    {kByResolver, index_beyond_count},
};

Verdict first_fault(Readers reader, const Statement& stated) {
  for (const auto& each : kFaults) {
    if ((each.readers & reader) == 0) continue;
    if (Verdict found = each.find(stated)) return found;
  }
  return {};
}

Statement statement_of(const ClusterSpec& cluster, const StatedTask& task) {
  const std::string type = task.type.value_or("");
  return {.cluster = cluster,
          .task = task,
          .type = type,
          .job = cluster.find(type),
          .leader = cluster.find("master") == nullptr ? "chief" : "master",
          .looks_up = false};
}

}  // namespace

std::optional<ReaderRefusal> estimator_refusal(const ClusterSpec& cluster, const StatedTask& task) {
  Statement stated = statement_of(cluster, task);
  stated.looks_up = !stated.is_alone() && stated.type != "evaluator";
  return first_fault(kByEstimator, stated);
}

std::optional<ReaderRefusal> resolver_refusal(const ClusterSpec& cluster, const StatedTask& task) {
  Statement stated = statement_of(cluster, task);
  stated.looks_up = task.type && (stated.job != nullptr || stated.type != "evaluator");
  return first_fault(kByResolver, stated);
}

}  // namespace lockstep
