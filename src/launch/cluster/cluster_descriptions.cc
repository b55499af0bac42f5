#include "launch/cluster/cluster_descriptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/json_place.h"
#include "base/nearest.h"
#include "base/printable.h"

namespace lockstep {
namespace {

// Joins clusters into one. One use.
class Merger {
 public:
  enum class Lists {
    complete,        // two lists of a job must have the same tasks
    may_lack_tasks,  // each may be a part
  };

  Merger(Lists lists, Scope scope) : lists_(lists), scope_(scope) {}

  void add(const ClusterDescription& description) {
    for (const ClusterJob& job : description.config.cluster.jobs) {
      const auto known = std::ranges::find(merged_.jobs, job.name, &ClusterJob::name);
      if (known == merged_.jobs.end()) {
        merged_.jobs.push_back(job);
        sources_.push_back(description.source);
      } else {
        join(*known, sources_[static_cast<std::size_t>(known - merged_.jobs.begin())], job, description.source);
      }
    }
  }
  ClusterSpec take() { return std::move(merged_); }

 private:
  void join(ClusterJob& known, const std::string& known_source, const ClusterJob& job, const std::string& source) {
    const bool are_complete = lists_ == Lists::complete && known.is_dense() && job.is_dense();
    if (are_complete && known.tasks.size() != job.tasks.size()) {
      refuse(fmt::format("{} has {} by {} and {} by {}", member_path("cluster", job.name),
                         counted(std::ssize(known.tasks), "task"), known_source, job.tasks.size(), source));
    }
    for (const auto& [index, address] : job.tasks) {
      const auto [there, is_new] = known.tasks.emplace(index, address);
      if (!is_new && there->second != address) {
        refuse(fmt::format("{} is at {} by {} and at {} by {}", describe(TaskName{job.name, index}),
                           in_quotes(there->second), known_source, in_quotes(address), source));
      }
    }
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ExitCode::configuration,
                fmt::format("two descriptions of the cluster contradict each other: {}; take one of them away", why),
                scope_);
  }

  Lists lists_;
  Scope scope_;
  ClusterSpec merged_;
  std::vector<std::string> sources_;  // by job: the description that named it first
};

// A suggestion of the job that an unknown name may mean; "" if the cluster has the job.
std::string job_meant(const std::string& name, const ClusterSpec& cluster) {
  if (cluster.tasks_of(name) > 0) return {};
  std::vector<std::string> jobs;
  jobs.reserve(cluster.jobs.size());
  for (const ClusterJob& job : cluster.jobs) jobs.push_back(job.name);
  return did_you_mean(name, jobs);
}

[[noreturn]] void refuse_description(const std::string& why) { throw Error(ExitCode::configuration, why); }

// The task of this process, and the description that states it.
struct Claim {
  std::string source;
  TaskName task;
};

std::optional<Claim> agreed_task(std::span<const ClusterDescription> descriptions, const ClusterSpec& cluster) {
  std::optional<Claim> claim;
  for (const auto& [source, config] : descriptions) {
    if (!config.task) continue;
    if (!claim) {
      claim = Claim{.source = source, .task = *config.task};
    } else if (claim->task != *config.task) {
      // A task may have two names: Gradient's master is also worker 0.
      const std::string* const mine = cluster.address(claim->task);
      const std::string* const other = cluster.address(*config.task);
      if (mine != nullptr && other != nullptr && *mine == *other) continue;
      refuse_description(fmt::format("this process is {} by {} and {} by {}; take one of them away",
                                     describe(claim->task), claim->source, describe(*config.task), source));
    }
  }
  return claim;
}

}  // namespace

std::optional<TfConfig> agreed_description(std::span<const ClusterDescription> descriptions) {
  if (descriptions.empty()) return {};
  Merger merger(Merger::Lists::complete, Scope::this_rank);
  TfConfig agreed;
  for (const ClusterDescription& description : descriptions) {
    merger.add(description);
    if (agreed.environment.empty()) agreed.environment = description.config.environment;
    std::ranges::copy(description.config.warnings, std::back_inserter(agreed.warnings));
  }
  agreed.cluster = merger.take();
  if (const auto claim = agreed_task(descriptions, agreed.cluster)) {
    const bool may_be_outside = claim->task.job == "evaluator" || agreed.cluster.jobs.empty();
    if (!may_be_outside && agreed.cluster.address(claim->task) == nullptr) {
      refuse_description(fmt::format(
          "{}: this process is {}, and the cluster has {} of that job{}", claim->source, describe(claim->task),
          counted(static_cast<std::int64_t>(agreed.cluster.tasks_of(claim->task.job)), "task"),
          job_meant(claim->task.job, agreed.cluster)));
    }
    agreed.task = claim->task;
  }
  return agreed;
}

std::string sources_of(std::span<const ClusterDescription> descriptions) {
  std::string sources;
  for (const ClusterDescription& each : descriptions) sources += (sources.empty() ? "" : ", ") + each.source;
  return sources;
}

void check_alone(const TfConfig& agreed, std::span<const ClusterDescription> descriptions) {
  if (!agreed.task || agreed.cluster.tasks() > 0) return;
  const TaskName& task = *agreed.task;
  if (task.job == "evaluator" || (task.job != "ps" && task.index == 0)) return;
  refuse_description(
      fmt::format("{}: {} is a task of a cluster that nothing describes; give the addresses of all tasks too "
                  "(--worker_hosts=host:port,host:port,... or TF_CONFIG), or leave the task out",
                  sources_of(descriptions), describe(task)));
}

ClusterSpec merged_cluster(std::span<const ClusterDescription> descriptions) {
  Merger merger(Merger::Lists::may_lack_tasks, Scope::every_rank);
  for (const ClusterDescription& description : descriptions) merger.add(description);
  return merger.take();
}

}  // namespace lockstep
