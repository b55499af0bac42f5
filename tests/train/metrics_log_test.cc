#include "train/metrics_log.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/check_error.h"
#include "support/ranks.h"
#include "support/temporary_folder.h"
#include "tensor/cpu/cpu_backend.h"
#include "train/output/metrics.h"
#include "train/output/metrics_lines.h"

namespace lockstep {
namespace {

// On two ranks, opens the log after `step` and writes a train line for each further step up to `last`.
void write_steps(const std::string& folder, std::int64_t step, std::int64_t last) {
  for_thread_ranks(2, [&](RankContext& context) {
    const std::unique_ptr<Backend> backend = make_cpu_backend();
    Log log{context.communicator.rank(), context.communicator.size(), true};
    const TrainingRank rank{.world = context.communicator,
                            .compute = context.communicator,
                            .backend = *backend,
                            .trace = context.trace,
                            .log = log};
    MetricsLog metrics(rank, folder, step);
    for (std::int64_t i = step + 1; i <= last; ++i) metrics.write("train", i, {{"loss", 1.0 / static_cast<double>(i)}});
  });
}

// Returns "kind step" for each line.
std::vector<std::string> lines_of(const std::string& folder) {
  const std::string text = read_metrics(folder);
  MetricsLines lines(text);
  std::vector<std::string> found;
  for (MetricsLine line; lines.next(line);) {
    const Json json = line.json().value();
    found.push_back(text_member(json, "kind") + " " + std::to_string(whole_member(json, "step")));
  }
  return found;
}

}  // namespace

TEST_CASE("a loop of one's own writes a line for each step once, over several starts, from the chief alone") {
  const TemporaryFolder temporary;
  const std::string folder = temporary / "made/here";
  write_steps(folder, 0, 3);
  CHECK(lines_of(folder) == std::vector<std::string>{"start 0", "train 1", "train 2", "train 3"});
  write_steps(folder, 2, 4);  // resumed from a checkpoint of step 2
  CHECK(lines_of(folder) == std::vector<std::string>{"start 0", "train 1", "train 2", "start 2", "train 3", "train 4"});
  write_steps(folder, 0, 1);
  CHECK(lines_of(folder) == std::vector<std::string>{"start 0", "train 1"});
}

TEST_CASE("a log without a folder is refused") {
  check_error(ExitCode::usage, {"has no name"}, [] { write_steps("", 0, 1); });
}

}  // namespace lockstep
