#include "random_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace lockstep {
namespace {

// Names that a host gives itself; the cluster uses one of them, or another form of one.
struct Host {
  std::vector<std::string> names;
  std::vector<std::string> calls;
};

Host host(std::size_t number) {
  const std::string name = fmt::format("n{:02}", number);
  const std::string v4 = fmt::format("10.0.{}.{}", number / 200, number % 200 + 1);
  return {.names = {name, v4, fmt::format("2001:db8::{:x}", number + 1)},
          .calls = {name, name + ".example.org", v4, fmt::format("[2001:db8:0:0::{:x}]", number + 1)}};
}

class Maker {
 public:
  explicit Maker(Draws& draws) : draws_(draws) {
    for (std::size_t i = draws.below(6) + 1; i > 0; --i) hosts_.push_back(host(hosts_.size()));
  }

  RandomJob make() {
    constexpr std::size_t kKinds = 5;
    const std::size_t kind = draws_.below(kKinds);
    const bool has_master = kind < 2;
    const bool servers_compute = kind == 0;  // {master, ps}
    const bool has_leader = kind < 4;
    if (draws_.one_in(2)) job_.flags.worker_gpu = static_cast<int>(draws_.below(4));
    if (servers_compute) job_.flags.ps_gpu = static_cast<int>(draws_.below(4));

    std::vector<std::pair<std::string, std::size_t>> jobs;  // with the number of tasks of each
    if (has_leader) jobs.emplace_back(has_master ? "master" : "chief", 1);
    if (!servers_compute) jobs.emplace_back("worker", draws_.below(7) + (has_leader ? 0 : 1));
    if (servers_compute || draws_.one_in(3)) jobs.emplace_back("ps", draws_.below(4) + 1);
    if (!has_master && draws_.one_in(3)) jobs.emplace_back("evaluator", 1);
    draws_.shuffle(jobs);
    for (const auto& [name, count] : jobs) add(name, count, name == "worker" && has_leader && draws_.one_in(4));
    start_processes();
    return std::move(job_);
  }

 private:
  void add(const std::string& name, std::size_t count, bool is_sparse) {
    ClusterJob job{.name = name, .tasks = {}};
    std::int64_t index = 0;
    for (; count > 0; --count, ++index) {
      if (is_sparse) index += static_cast<std::int64_t>(draws_.below(3));
      const std::size_t at = draws_.below(hosts_.size());
      const std::string& call = hosts_[at].calls[draws_.below(hosts_[at].calls.size())];
      job.tasks.emplace(index, fmt::format("{}:{}", call, ++port_));
      places_.emplace_back(TaskName{name, index}, at);
    }
    job_.config.cluster.jobs.push_back(std::move(job));
  }

  void start_processes() {
    const int gpus = static_cast<int>(draws_.below(4));
    for (const PlannedTask& task : plan_cluster(job_.config, job_.flags).tasks) {
      const auto place = std::ranges::find(places_, task.task, &std::pair<TaskName, std::size_t>::first);
      for (int i = ranks_of(task, task.ranks, gpus); i > 0; --i) {
        job_.processes.push_back({.host_names = hosts_[place->second].names, .gpus = gpus});
      }
    }
    draws_.shuffle(job_.processes);
  }

  Draws& draws_;
  std::vector<Host> hosts_;
  std::vector<std::pair<TaskName, std::size_t>> places_;  // index of each task's host
  int port_ = 2000;
  RandomJob job_;
};

}  // namespace

RandomJob random_job(Draws& draws) { return Maker(draws).make(); }

}  // namespace lockstep
