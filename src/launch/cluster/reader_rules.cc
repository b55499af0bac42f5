#include "launch/cluster/reader_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "base/json_place.h"
#include "base/nearest.h"
#include "base/printable.h"

namespace lockstep {
namespace {

constexpr std::array<std::string_view, 4> kResolverJobs = {"chief", "worker", "evaluator", "ps"};

bool knows(std::string_view job) { return std::ranges::find(kResolverJobs, job) != kResolverJobs.end(); }

std::string job_path(std::string_view job) { return member_path("cluster", job); }

ReaderRefusal no_such_task(const ClusterJob& job, std::int64_t index) {
  const std::string last = job.tasks.empty() ? "none" : fmt::format("{}", job.tasks.rbegin()->first);
  return {.path = "task.index",
          .why = fmt::format("{} is no task of {}, whose last index is {}", index, job_path(job.name), last)};
}

ReaderRefusal no_such_job(const ClusterSpec& cluster, const std::string& type) {
  std::vector<std::string> jobs = {"evaluator"};  // which need not be in the cluster
  for (const ClusterJob& job : cluster.jobs) jobs.push_back(job.name);
  return {.path = "task.type",
          .why = fmt::format("{} is no job of the cluster{}; name the job that this process belongs to",
                             in_quotes(type), did_you_mean(type, jobs))};
}

// Whether the index of a task of that job is given and one that the job has.
std::optional<ReaderRefusal> refuse_index(const ClusterJob& job, const StatedTask& task) {
  if (!task.index) {
    return ReaderRefusal{.path = "task.index",
                         .why = fmt::format("it is missing; {} has {}, the first is 0", job_path(job.name),
                                            counted(std::ssize(job.tasks), "task"))};
  }
  if (!job.tasks.contains(*task.index)) return no_such_task(job, *task.index);
  return {};
}

std::optional<ReaderRefusal> refuse_alone(const StatedTask& task) {
  if (const std::string type = task.type.value_or("worker"); type != "worker") {
    return ReaderRefusal{
        .path = "task.type",
        .why = fmt::format("{} needs a cluster, and there is none; without one the task is worker 0", in_quotes(type))};
  }
  if (task.index.value_or(0) != 0) {
    return ReaderRefusal{
        .path = "task.index",
        .why = fmt::format("{} needs a cluster, and there is none; without one the task is worker 0", *task.index)};
  }
  return {};
}

// The job that leads for the estimator: exactly one task, at index 0.
std::optional<ReaderRefusal> refuse_leader(const ClusterSpec& cluster, std::string_view leader) {
  const ClusterJob* const job = cluster.find(leader);
  if (job == nullptr) return ReaderRefusal{.path = "cluster", .why = R"(it has no chief; add "chief": ["host:port"])"};
  if (job->tasks.empty())
    return ReaderRefusal{.path = job_path(leader), .why = "it has no task; name the chief's address"};
  if (job->tasks.rbegin()->first > 0) {
    return ReaderRefusal{
        .path = job_path(leader),
        .why = fmt::format("there can be one {} only, at index 0; name the others under \"worker\"", leader)};
  }
  return {};
}

}  // namespace

std::optional<ReaderRefusal> estimator_refusal(const ClusterSpec& cluster, const StatedTask& task) {
  if (cluster.jobs.empty()) return refuse_alone(task);
  const bool has_master = cluster.find("master") != nullptr;
  if (has_master && cluster.find("chief") != nullptr) {
    return ReaderRefusal{.path = "cluster.chief", .why = "there is a master already; keep one of chief and master"};
  }
  if (auto refusal = refuse_leader(cluster, has_master ? "master" : "chief")) return refusal;
  if (task.type.value_or("").empty())
    return ReaderRefusal{.path = "task.type", .why = R"(it is missing; add "task": {"type": ..., "index": ...})"};
  if (*task.type == "evaluator") {
    if (has_master) {
      return ReaderRefusal{.path = "task.type", .why = "there is no evaluator beside a master; name it \"chief\""};
    }
    if (!task.index) return ReaderRefusal{.path = "task.index", .why = "it is missing"};
    if (*task.index < 0) return ReaderRefusal{.path = "task.index", .why = fmt::format("{} is below 0", *task.index)};
    return {};
  }
  const ClusterJob* const job = cluster.find(*task.type);
  return job == nullptr ? no_such_job(cluster, *task.type) : refuse_index(*job, task);
}

std::optional<ReaderRefusal> resolver_refusal(const ClusterSpec& cluster, const StatedTask& task) {
  for (const ClusterJob& job : cluster.jobs) {
    if (!knows(job.name)) {
      const std::vector<std::string> known(kResolverJobs.begin(), kResolverJobs.end());
      return ReaderRefusal{
          .path = job_path(job.name),
          .why = "there are the jobs chief, worker, ps and evaluator only" + did_you_mean(job.name, known)};
    }
  }
  for (const std::string_view job : {"chief", "evaluator"}) {
    if (cluster.tasks_of(job) > 1) {
      return ReaderRefusal{.path = job_path(job), .why = fmt::format("there can be one {} only", job)};
    }
  }
  if (!task.type) return {};
  const ClusterJob* const job = cluster.find(*task.type);
  if (job == nullptr) return *task.type == "evaluator" ? std::nullopt : std::optional(no_such_job(cluster, *task.type));
  if (auto refusal = refuse_index(*job, task)) return refusal;
  if (*task.index >= static_cast<std::int64_t>(job->tasks.size())) {  // of a sparse map
    return ReaderRefusal{.path = "task.index",
                         .why = fmt::format("{} is not below the number of tasks in {}, which is {}", *task.index,
                                            job_path(job->name), job->tasks.size())};
  }
  return {};
}

}  // namespace lockstep
