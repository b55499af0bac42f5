#include "launch/tools/translate/rank_list.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"

namespace lockstep {
namespace {

constexpr int kFirstPort = 2222;  // as in TensorFlow's own examples

[[noreturn]] void refuse_list(const std::string& why) { throw Error(ExitCode::configuration, why, Scope::every_rank); }

std::string address_of(const std::string& host, int port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

// The jobs chief and worker, as TensorFlow's readers all take them.
ClusterSpec cluster_of(std::span<const RankEntry> ranks) {
  ClusterSpec cluster;
  for (const RankEntry& entry : ranks) {
    if (cluster.jobs.empty() || cluster.jobs.back().name != entry.task.job) {
      cluster.jobs.push_back({.name = entry.task.job, .tasks = {}});
    }
    auto& tasks = cluster.jobs.back().tasks;
    tasks.emplace_hint(tasks.end(), entry.task.index, entry.address);
  }
  return cluster;
}

}  // namespace

RankList list_of_hosts(std::string source, std::span<const HostRun> hosts) {
  RankList list;
  list.source = std::move(source);
  for (const HostRun& run : hosts) {
    for (int i = 0; i < run.ranks; ++i) {
      const int rank = static_cast<int>(list.ranks.size());
      RankEntry entry{.rank = rank, .task = {"worker", rank - 1}, .host = run.host};
      if (rank == 0) {
        entry.role = Role::chief;
        entry.task = {"chief", 0};
      }
      list.ranks.push_back(std::move(entry));
    }
  }
  number_local_ranks(list.ranks);
  for (RankEntry& entry : list.ranks) {
    entry.address = address_of(entry.host, kFirstPort + entry.local_rank);
    entry.gpu = entry.local_rank;
  }
  list.world_size = static_cast<int>(list.ranks.size());
  if (!list.ranks.empty()) list.first_host = list.ranks.front().host;
  list.cluster = cluster_of(list.ranks);
  return list;
}

void number_local_ranks(std::vector<RankEntry>& ranks) {
  std::unordered_map<std::string_view, int> on_host;
  on_host.reserve(ranks.size());
  for (RankEntry& entry : ranks) entry.local_rank = on_host[entry.host]++;
  for (RankEntry& entry : ranks) entry.local_size = on_host[entry.host];
}

void number_gpus(RankList& list) {
  std::unordered_map<std::string_view, int> on_host;
  on_host.reserve(list.ranks.size());
  for (std::vector<RankEntry>* const world : {&list.ranks, &list.evaluators}) {
    for (RankEntry& entry : *world) {
      if (entry.host.empty()) {
        entry.gpu.reset();
      } else if (entry.gpu) {
        entry.gpu = on_host[entry.host]++;
      }
    }
  }
}

std::vector<RankEntry> launched_processes(const RankList& list) {
  if (!list.is_complete()) {
    refuse_list(
        fmt::format("only rank {} of {} is known from {}: translate outside of the job, or say where all ranks "
                    "are (TF_CONFIG, --hostfile=FILE)",
                    list.ranks.front().rank, list.world_size, list.source));
  }
  std::vector<RankEntry> processes = list.ranks;
  // An evaluator outside the cluster is started by itself, wherever that is.
  std::ranges::copy_if(list.evaluators, std::back_inserter(processes),
                       [](const RankEntry& evaluator) { return !evaluator.host.empty(); });
  if (processes.empty()) refuse_list(fmt::format("{} names no host that a launcher could start ranks on", list.source));
  for (const RankEntry& entry : processes) check_host(entry);
  return processes;
}

std::string counted_processes(const RankList& list) {
  std::string ranks = counted(list.world_size, "rank");
  if (list.evaluators.empty()) return ranks;
  const auto evaluators = std::ssize(list.evaluators);
  return fmt::format("{} and {}, {}", ranks, counted(evaluators, "evaluator"),
                     counted(list.world_size + evaluators, "process", "processes"));
}

std::vector<HostRun> host_runs(std::span<const RankEntry> processes) {
  std::vector<HostRun> runs;
  for (const RankEntry& entry : processes) {
    if (runs.empty() || runs.back().host != entry.host) runs.push_back({.host = entry.host});
    ++runs.back().ranks;
  }
  return runs;
}

std::vector<HostRun> processes_by_host(std::span<const RankEntry> processes) {
  std::vector<HostRun> hosts;
  std::unordered_map<std::string_view, std::size_t> numbers;
  numbers.reserve(processes.size());
  for (const RankEntry& entry : processes) {
    const auto [number, is_new] = numbers.emplace(entry.host, hosts.size());
    if (is_new) hosts.push_back({.host = entry.host});
    ++hosts[number->second].ranks;
  }
  return hosts;
}

bool is_ipv6_address(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

void check_host(const RankEntry& entry) {
  const std::string& host = entry.host;
  if (host.empty()) {
    refuse_list(fmt::format("{}: the host is not known; give {} an address, host:port, in the cluster",
                            describe(entry.task), describe(entry.task)));
  }
  const bool is_plain = std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == ':';
  });
  const bool has_colon = host.find(':') != std::string::npos;
  if (!is_plain || host.front() == '-' || (has_colon && !is_ipv6_address(host))) {
    refuse_list(fmt::format("{}: {} is no name of a host; expected letters, digits, dots and dashes",
                            describe(entry.task), in_quotes(host)));
  }
}

}  // namespace lockstep
