#include "train/strategy/served_account.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

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

struct Staleness {
  double gradients = 0;
  double sum = 0;
  std::int64_t most = 0;
};

Staleness staleness_of(const std::vector<std::int64_t>& counts) {
  Staleness all;
  for (std::int64_t age = 0; age < std::ssize(counts); ++age) {
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(age)]);
    all.gradients += count;
    all.sum += static_cast<double>(age) * count;
    if (count > 0) all.most = age;
  }
  return all;
}

}  // namespace

StrategyAccount served_account(const PsAccount& account) {
  StrategyAccount told;
  const Staleness all = staleness_of(account.staleness);
  if (all.gradients == 0) return told;
  told.lines.push_back(fmt::format("steps by rank: {}", fmt::join(account.batches, ", ")));
  told.lines.push_back(fmt::format("gradients by their age in updates: {}; on average {:.1f}",
                                   shares_of(account.staleness, all.gradients), all.sum / all.gradients));
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
    told.lines.push_back(
        fmt::format("died during the run: rank{} {}", lost.size() == 1 ? "" : "s", fmt::join(lost, ", ")));
    told.members.emplace_back("lost_ranks", json_of(lost));
  }
  return told;
}

Json::Object served_progress(const PsAccount& before, const PsAccount& now) {
  std::vector<std::int64_t> added = now.staleness;
  for (std::size_t age = 0; age < before.staleness.size(); ++age) added[age] -= before.staleness[age];
  const Staleness all = staleness_of(added);
  if (all.gradients == 0) return {};
  Json::Object members{{"staleness_mean", all.sum / all.gradients}, {"staleness_max", all.most}};
  for (std::size_t rank = 0; rank < now.batches.size(); ++rank) {
    members.emplace_back(fmt::format("steps_by_rank/{}", rank), now.batches[rank]);
  }
  for (std::size_t server = 0; server < now.servers.size(); ++server) {
    const PsAccount::Server& then = server < before.servers.size() ? before.servers[server] : PsAccount::Server{};
    const auto& [bytes, busy, seconds] = now.servers[server];
    const double passed = seconds - then.seconds;
    if (passed <= 0) continue;
    members.emplace_back(fmt::format("server_bytes_per_second/{}", server),
                         static_cast<double>(bytes - then.bytes) / passed);
    members.emplace_back(fmt::format("server_busy/{}", server), (busy - then.busy) / passed);
  }
  return members;
}

}  // namespace lockstep
