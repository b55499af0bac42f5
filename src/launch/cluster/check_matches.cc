#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "launch/cluster/task_matches.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMostNamed = 4;  // of tasks, processes and hosts in a message

// A list for a message, which names the first few: "worker 1 (h2:2222), worker 2 (h3:2222) and 14 more".
class Listed {
 public:
  void add(const std::string& one) {
    if (++count_ <= kMostNamed) text_ += fmt::format("{}{}", count_ > 1 ? ", " : "", one);
  }
  std::int64_t count() const { return count_; }
  std::string text() const {
    return count_ > kMostNamed ? fmt::format("{} and {} more", text_, count_ - kMostNamed) : text_;
  }

 private:
  std::int64_t count_ = 0;
  std::string text_;
};

std::string with_address(const PlannedTask& task) {
  const std::string address = task.address.empty() ? "no address" : escaped(task.address);
  return fmt::format("{} ({})", describe(task.task), address);
}

// Tasks that lack processes or have too many.
void find_wrong_tasks(std::span<const TaskMatch> tasks, Listed& without, Listed& wrong) {
  for (const TaskMatch& task : tasks) {
    if (task.processes.empty()) {
      without.add(with_address(task.task));
    } else if (task.processes.size() != static_cast<std::size_t>(task.ranks)) {
      wrong.add(fmt::format("{} has {} for its {}", with_address(task.task),
                            counted(std::ssize(task.processes), "process", "processes"), counted(task.ranks, "rank")));
    }
  }
}

Listed idle_processes(std::span<const TaskMatch> tasks, std::span<const ClusterProcess> processes) {
  std::vector<bool> is_idle(processes.size(), true);
  for (const TaskMatch& task : tasks) {
    for (const std::size_t process : task.processes) is_idle[process] = false;
  }
  Listed idle;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (is_idle[i]) idle.add(fmt::format("process {} on {}", i, host_for_messages(processes[i])));
  }
  return idle;
}

// The hosts with their numbers of processes: "h1 (2), h2 (1)".
std::string hosts_of(std::span<const ClusterProcess> processes) {
  std::map<std::string, int> counts;
  for (const ClusterProcess& process : processes) ++counts[host_for_messages(process)];
  Listed hosts;
  for (const auto& [host, count] : counts) hosts.add(fmt::format("{} ({})", host, count));
  return hosts.text();
}

std::string cure(std::span<const TaskMatch> tasks, std::span<const ClusterProcess> processes) {
  std::int64_t needed = 0;
  for (const TaskMatch& task : tasks) {
    needed += task.ranks > 0 ? task.ranks : std::max(1, task.given.value_or(1));
  }
  const std::string hosts = hosts_of(processes);
  if (needed == static_cast<std::int64_t>(processes.size())) {
    return fmt::format(
        "There are as many processes as ranks, but not where the tasks are: they run on {}; start each "
        "on the host of its task (a hostfile), or write the hosts of the processes into the cluster; where processes "
        "say which task they are (task in TF_CONFIG, --task_index), as many have to name a task as it has ranks",
        hosts);
  }
  return fmt::format(
      "Start {} (mpirun -np {}), on the hosts of the tasks, instead of {} on {}; or say by --worker_gpu (--ps_gpu "
      "where ps tasks compute) how many ranks a task has",
      counted(needed, "process", "processes"), needed, processes.size(), hosts);
}

}  // namespace

void check_matches(std::span<const TaskMatch> tasks, std::span<const ClusterProcess> processes) {
  Listed without;
  Listed wrong;
  find_wrong_tasks(tasks, without, wrong);
  const Listed idle = idle_processes(tasks, processes);
  std::string why;
  const auto say = [&](const std::string& clause) { why += fmt::format("{}{}", why.empty() ? "" : "; ", clause); };
  if (without.count() > 0) {
    say(fmt::format("{} of the cluster {} no process: {}", counted(without.count(), "task"),
                    without.count() == 1 ? "has" : "have", without.text()));
  }
  if (wrong.count() > 0) say(wrong.text());
  if (idle.count() > 0) {
    say(fmt::format("{} no task: {}",
                    idle.count() == 1 ? "1 process has" : fmt::format("{} processes have", idle.count()), idle.text()));
  }
  if (why.empty()) return;
  throw Error(ExitCode::configuration, fmt::format("{}. {}", why, cure(tasks, processes)), Scope::every_rank);
}

}  // namespace lockstep
