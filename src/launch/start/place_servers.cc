#include "launch/start/place_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/split.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_servers(ExitCode code, const std::string& list, const std::string& why) {
  throw Error(code, fmt::format("--ps_ranks={}: {}", escaped(list), why), Scope::every_rank);
}

// Consecutive processes of a list: "2-3", or one, "7".
struct ListedRun {
  int first = 0;
  int last = 0;
};

// Nothing if the text is no such run.
std::optional<ListedRun> parse_run(std::string_view text) {
  const std::optional<int> first = take_digits<int>(text);
  if (!first) return {};
  if (text.empty()) return ListedRun{*first, *first};
  if (!text.starts_with('-')) return {};
  const std::optional<int> last = parse_digits<int>(text.substr(1));
  if (!last || *last < *first) return {};
  return ListedRun{*first, *last};
}

std::vector<ListedRun> parse_list(const std::string& list) {
  std::vector<ListedRun> runs;
  for (const std::string& part : split_at(list, ',')) {
    const auto run = parse_run(part);
    if (!run) {
      refuse_servers(
          ExitCode::usage, list,
          "expected the numbers that the launcher gives the ranks, as in --ps_ranks=3,7 or --ps_ranks=2-3,7");
    }
    runs.push_back(*run);
  }
  return runs;
}

// The processes that may become servers, by host.
std::vector<std::vector<int>> candidates_by_host(std::span<const ProcessFacts> processes) {
  std::vector<std::vector<int>> hosts;
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const auto [found, is_new] = numbers.try_emplace(processes[process].host, hosts.size());
    if (is_new) hosts.emplace_back();
    if (process > 0) hosts[found->second].push_back(static_cast<int>(process));
  }
  return hosts;
}

}  // namespace

std::vector<int> choose_servers(std::span<const ProcessFacts> processes, std::int64_t count) {
  LS_CHECK(count < std::ssize(processes), "no rank is left to train");
  std::vector<std::vector<int>> hosts = candidates_by_host(processes);
  std::vector<int> servers;
  while (std::ssize(servers) < count) {
    for (std::vector<int>& host : hosts) {
      if (host.empty() || std::ssize(servers) == count) continue;
      servers.push_back(host.back());
      host.pop_back();
    }
  }
  return servers;
}

std::vector<int> listed_servers(const std::string& list, std::size_t processes) {
  std::vector<int> servers;
  std::vector<bool> is_listed(processes, false);
  for (const ListedRun& run : parse_list(list)) {
    if (run.first == 0) refuse_servers(ExitCode::usage, list, "rank 0 is the chief, which trains; take it out");
    if (run.last >= static_cast<std::int64_t>(processes)) {
      refuse_servers(
          ExitCode::configuration, list,
          fmt::format("there is no rank {} in a job of {}, which count from 0; choose among these, or start "
                      "more: mpirun -np {} train",
                      run.last, counted(static_cast<std::int64_t>(processes), "rank"), std::int64_t{run.last} + 1));
    }
    for (int process = run.first; process <= run.last; ++process) {
      const auto at = static_cast<std::size_t>(process);
      if (is_listed[at]) {
        refuse_servers(ExitCode::usage, list, fmt::format("rank {} is there twice; take one of them out", process));
      }
      is_listed[at] = true;
      servers.push_back(process);
    }
  }
  return servers;
}

std::vector<RankPlan> plan_with_servers(std::size_t processes, std::span<const int> servers) {
  constexpr int kNone = -1;
  std::vector<int> number(processes, kNone);  // of each server among the servers
  for (std::size_t i = 0; i < servers.size(); ++i) number[static_cast<std::size_t>(servers[i])] = static_cast<int>(i);
  const int first_server = static_cast<int>(processes - servers.size());
  std::vector<RankPlan> plan;
  plan.reserve(processes);
  int workers = 0;
  for (std::size_t process = 0; process < processes; ++process) {
    if (process == 0) {
      plan.push_back({.role = Role::chief});
    } else if (const int server = number[process]; server != kNone) {
      plan.push_back(
          {.role = Role::parameter_server, .index = server, .key = first_server + server, .has_shares = false});
    } else {
      plan.push_back({.role = Role::worker, .index = workers, .key = workers + 1});
      ++workers;
    }
  }
  return plan;
}

}  // namespace lockstep
