#include "train/strategy/served_account.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <numeric>

namespace lockstep {
namespace {

Json::Array json_of(const std::vector<std::int64_t>& numbers) { return {numbers.begin(), numbers.end()}; }

// "0 20 %, 1 55 %, 2 to 7 25 %": each staleness that a tenth or more of the gradients had, and the others together.
std::string shares_of(const std::vector<std::int64_t>& staleness, double gradients) {
  std::string text;
  std::size_t next = 0;
  while (next < staleness.size()) {
    std::size_t end = next + 1;
    std::int64_t count = staleness[next];
    const auto is_rare = [&](std::int64_t number) { return static_cast<double>(number) < gradients / 10; };
    while (is_rare(count) && end < staleness.size() && is_rare(staleness[end])) count += staleness[end++];
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ",
                        end == next + 1 ? fmt::format("{}:", next) : fmt::format("{} to {}:", next, end - 1),
                        100 * static_cast<double>(count) / gradients);
    next = end;
  }
  return text;
}

}  // namespace

StrategyAccount served_account(const PsAccount& account) {
  StrategyAccount told;
  const auto gradients =
      static_cast<double>(std::accumulate(account.staleness.begin(), account.staleness.end(), std::int64_t{0}));
  if (gradients == 0) return told;
  double updates = 0;
  for (std::size_t age = 0; age < account.staleness.size(); ++age) {
    updates += static_cast<double>(age) * static_cast<double>(account.staleness[age]);
  }
  told.lines.push_back(fmt::format("steps by rank: {}", fmt::join(account.batches, ", ")));
  told.lines.push_back(fmt::format("gradients by their age in updates: {}; on average {:.1f}",
                                   shares_of(account.staleness, gradients), updates / gradients));
  Json::Array rates;
  Json::Array busy;
  std::string servers;
  for (const PsAccount::Server& server : account.servers) {
    if (server.seconds <= 0) continue;
    const double rate = static_cast<double>(server.bytes) / server.seconds;
    rates.emplace_back(rate);
    busy.emplace_back(server.busy / server.seconds);
    servers += fmt::format("{}{:.2f} GB/s, busy {:.0f} %", servers.empty() ? "" : "; ", rate * 1e-9,
                           100 * server.busy / server.seconds);
  }
  told.lines.push_back(fmt::format("parameter servers: {}", servers));
  told.members = {{"steps_by_rank", json_of(account.batches)},
                  {"staleness", json_of(account.staleness)},
                  {"server_bytes_per_second", std::move(rates)},
                  {"server_busy", std::move(busy)}};
  std::vector<std::int64_t> lost;
  for (std::size_t rank = 0; rank < account.lost.size(); ++rank) {
    if (account.lost[rank] > 0) lost.push_back(static_cast<std::int64_t>(rank));
  }
  if (!lost.empty()) {
    told.lines.push_back(fmt::format("lost on the way: rank{} {}", lost.size() == 1 ? "" : "s", fmt::join(lost, ", ")));
    told.members.emplace_back("lost_ranks", json_of(lost));
  }
  return told;
}

}  // namespace lockstep
