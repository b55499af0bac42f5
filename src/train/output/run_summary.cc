#include "train/output/run_summary.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/printable.h"
#include "train/output/readable_numbers.h"

namespace lockstep {
namespace {

std::string time_split(const RunCosts& costs) {
  const PhaseSeconds& shares = costs.shares;
  // A smaller share would read "0 %".
  const bool waited = costs.waiting >= 0.005;
  return fmt::format("data {}, compute {}, communication {}{}, evaluation {}, saving {}", percent(shares.data),
                     percent(shares.compute), percent(shares.communication),
                     waited ? fmt::format(" (at least {} waiting for slower ranks)", percent(costs.waiting)) : "",
                     percent(shares.evaluation), percent(shares.saving));
}

}  // namespace

std::vector<std::string> describe(const RunSummary& summary) {
  std::vector<std::string> lines;
  if (summary.examples_per_second > 0) {
    lines.push_back(fmt::format("{} {}/s on average; time: {}",
                                thousands(summary.tokens_per_second.value_or(summary.examples_per_second)),
                                summary.tokens_per_second ? "tokens" : "samples", time_split(summary.costs)));
  }
  if (summary.costs.peak_memory_bytes > 0) {
    lines.push_back(fmt::format("peak memory at most {} MB per rank",
                                thousands(static_cast<double>(summary.costs.peak_memory_bytes) / 1e6)));
  }
  if (summary.evaluations > 1 && !summary.best.metric.empty()) {
    const bool last_is_best = summary.last.step == summary.best.step;
    lines.push_back(fmt::format(
        "best of {}: {} after step {}{}", counted(summary.evaluations, "evaluation"), summary.best.metric,
        summary.best.step,
        last_is_best ? ", the last" : fmt::format("; last: {} after step {}", summary.last.metric, summary.last.step)));
  }
  return lines;
}

std::vector<std::string> describe(const RunFiles& files) {
  if (files.output_dir.empty()) return {"nothing was written; with --output_dir=RUN the same command keeps its model"};
  std::vector<std::string> lines{fmt::format("in {}: {}{}metrics.jsonl, config.json, log/", escaped(files.output_dir),
                                             files.newest.empty() ? "" : files.newest + " (the newest checkpoint), ",
                                             files.best.empty() ? "" : files.best + " (the best), ")};
  for (const std::string& command : files.next_commands) {
    lines.push_back(fmt::format("{} {}", lines.size() == 1 ? "next:" : "  or:", command));
  }
  return lines;
}

}  // namespace lockstep
