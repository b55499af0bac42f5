#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/counted.h"
#include "base/printable.h"
#include "launch/report/text_table.h"
#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : escaped(text); }

// As in the lines that train prints at its start.
std::string role_text(const RankEntry& entry) {
  return std::string(name(entry.role)) + (entry.leads_only ? " without data" : "");
}

// The size of the list: "5 ranks on 3 hosts", "1 rank and 1 evaluator, 2 processes on 1 host".
std::string size_of(const RankList& list) {
  if (!list.is_complete()) return fmt::format("rank {} of {}", list.ranks.front().rank, list.world_size);
  std::vector<RankEntry> placed = list.ranks;
  std::ranges::copy_if(list.evaluators, std::back_inserter(placed),
                       [](const RankEntry& evaluator) { return !evaluator.host.empty(); });
  return fmt::format("{} on {}", counted_processes(list), counted(std::ssize(processes_by_host(placed)), "host"));
}

}  // namespace

std::string explain_ranks(const RankList& list, std::span<const RankEntry> shown) {
  std::vector<std::vector<std::string>> rows = {{"rank", "role", "task", "host", "address", "local rank", "GPU"}};
  for (const RankEntry& entry : shown) {
    const bool is_evaluator = entry.role == Role::evaluator;
    rows.push_back({is_evaluator ? "-" : std::to_string(entry.rank), role_text(entry), escaped(describe(entry.task)),
                    or_dash(entry.host), or_dash(entry.address), std::to_string(entry.local_rank),
                    entry.gpu ? std::to_string(*entry.gpu) : "-"});
  }
  std::string text = fmt::format("{}: {}\n\n{}", escaped(list.source), size_of(list), text_table(rows));
  for (const RankEntry& evaluator : list.evaluators) {
    text += fmt::format("{} is no rank of the training: it evaluates the checkpoints{}\n",
                        escaped(describe(evaluator.task)), evaluator.host.empty() ? ", wherever it is started" : "");
  }
  if (list.own_rank) text += fmt::format("the launcher numbers this process {}\n", *list.own_rank);
  return text;
}

}  // namespace lockstep
