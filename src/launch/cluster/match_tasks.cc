#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "launch/cluster/host_names.h"
#include "launch/cluster/process_hosts.h"
#include "launch/cluster/task_matches.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_match(const std::string& why) { throw Error(ExitCode::configuration, why, Scope::every_rank); }

// Assigns the processes to the tasks in three passes. One thread, one use.
class Matcher {
 public:
  Matcher(const ClusterPlan& cluster, std::span<const ClusterProcess> processes)
      : processes_(processes), is_free_(processes.size(), true) {
    const bool evaluators_alone = !processes.empty() && std::ranges::all_of(processes, is_evaluator);
    for (const PlannedTask& task : cluster.tasks) {
      if (!evaluators_alone || task.role == Role::evaluator) add(task);
    }
    std::set<TaskName> outside;
    for (const ClusterProcess& process : processes) {
      if (process.task && is_evaluator(process)) outside.insert(*process.task);
    }
    for (const TaskMatch& task : result_.tasks) outside.erase(task.task.task);
    for (const TaskName& task : outside) add({.task = task, .address = "", .role = Role::evaluator});
  }

  TaskMatches match() {
    if (!one_name_for_all()) by_own_name();
    const bool any_host_known = by_host();
    by_order(any_host_known);
    return std::move(result_);
  }

 private:
  void add(const PlannedTask& task) { result_.tasks.push_back({.task = task, .processes = {}, .given = task.ranks}); }

  // The first process determines the number of ranks of the task.
  void give(TaskMatch& task, std::size_t process) {
    if (task.processes.empty()) task.ranks = ranks_of(task.task, task.given, processes_[process].gpus);
    task.processes.push_back(process);
    is_free_[process] = false;
  }
  static bool is_full(const TaskMatch& task) {
    return !task.processes.empty() && task.processes.size() >= static_cast<std::size_t>(task.ranks);
  }

  bool one_name_for_all() const {
    if (processes_.size() < 2 || result_.tasks.size() < 2) return false;
    const auto& first = processes_.front().task;
    return first && std::ranges::all_of(processes_, [&](const auto& process) { return process.task == first; });
  }

  void by_own_name() {
    if (std::ranges::none_of(processes_, [](const ClusterProcess& process) { return process.task.has_value(); }))
      return;
    std::map<TaskName, std::size_t> by_name;
    for (const TaskMatch& task : result_.tasks) by_name.emplace(task.task.task, by_name.size());
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      const ClusterProcess& process = processes_[i];
      if (!process.task) continue;
      const auto found = by_name.find(*process.task);
      if (found == by_name.end()) {
        refuse_match(fmt::format("process {} on {} says that it is {}, which the cluster does not have", i,
                                 host_for_messages(process), describe(*process.task)));
      }
      give_own(result_.tasks[found->second], i);
    }
  }
  void give_own(TaskMatch& task, std::size_t process) {
    const bool serves = task.task.role == Role::parameter_server;  // one rank, whatever its --ps_gpu says
    const std::optional<int> ranks = serves ? std::nullopt : processes_[process].ranks;
    if (ranks && task.processes.empty()) {
      task.given = ranks;
    } else if (ranks && task.given != ranks) {
      refuse_match(
          fmt::format("the processes of {} do not agree on its ranks: process {} on {} says {}, others {}; give all "
                      "the same --worker_gpu and --ps_gpu",
                      describe(task.task.task), process, host_for_messages(processes_[process]), *ranks,
                      task.given ? std::to_string(*task.given) : "nothing"));
    }
    give(task, process);
  }

  // Returns whether there is a process on a host of the cluster.
  bool by_host() {
    if (std::ranges::none_of(is_free_, std::identity())) return false;
    ProcessHosts hosts(processes_);
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (is_free_[i]) hosts.wait(i);
    }
    bool any = false;
    for (TaskMatch& task : result_.tasks) {
      const std::span<const int> found = hosts.find(task.task.address);
      any = any || !found.empty();
      if (found.empty() || is_full(task)) continue;
      if (found.size() > 1) refuse_ambiguous(task, hosts.names(found));
      while (!is_full(task) && hosts.anybody_waits(found[0])) give(task, hosts.take(found[0]));
    }
    return any;
  }

  [[noreturn]] static void refuse_ambiguous(const TaskMatch& task, const std::string& names) {
    refuse_match(
        fmt::format("{} ({}) may be on {}, which cannot be told apart by that name; give the full name or the "
                    "numeric address",
                    describe(task.task.task), escaped(task.task.address), names));
  }

  // Returns whether the task may run on any host.
  static bool is_anywhere(const TaskMatch& task) {
    const std::string host = host_in(task.task.address);
    return host.empty() || is_loopback(host);
  }

  void by_order(bool any_host_known) {
    std::size_t next = 0;
    bool is_guess = false;
    for (TaskMatch& task : result_.tasks) {
      if (is_full(task)) continue;
      const bool anywhere = is_anywhere(task);
      if (!anywhere && any_host_known) continue;
      while (!is_full(task)) {
        while (next < processes_.size() && !is_free_[next]) ++next;
        if (next == processes_.size()) break;
        is_guess = is_guess || !anywhere;
        give(task, next);
      }
    }
    if (is_guess) {
      result_.warnings.push_back(
          fmt::format("no process runs on a host of the cluster ({}, ...): its tasks go to the processes in the "
                      "launcher's order, the first to {}",
                      escaped(host_in(result_.tasks.front().task.address)), describe(result_.tasks.front().task.task)));
    }
  }

  std::span<const ClusterProcess> processes_;
  std::vector<bool> is_free_;
  TaskMatches result_;
};

}  // namespace

TaskMatches match_tasks(const ClusterPlan& cluster, std::span<const ClusterProcess> processes) {
  return Matcher(cluster, processes).match();
}

bool is_evaluator(const ClusterProcess& process) { return process.task && process.task->job == "evaluator"; }

std::string host_for_messages(const ClusterProcess& process) {
  return process.host_names.empty() ? "unknown host" : escaped(process.host_names.front());
}

}  // namespace lockstep
