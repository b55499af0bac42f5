#include "train/report.h"

#include <doctest/doctest.h>

#include <fstream>
#include <vector>

#include "support/temporary_folder.h"

namespace lockstep {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& line, const std::string& part) { return line.find(part) != std::string::npos; }

TEST_CASE("a run's lines: train lines when due, evaluations, and the end last") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  {
    Report report(log, trace, std::make_unique<MetricsFile>(folder / "metrics.jsonl", ""),
                  {.train_steps = 5, .log_every = 2, .wall_seconds = 1000});
    for (std::int64_t step = 1; step <= 5; ++step) {
      const StepResult result{.sums = {.loss = 3.0 * static_cast<double>(step), .weight = 6}, .local = step == 4};
      report.step({.number = step, .epochs = 0.5, .learning_rate = 0.25, .examples = 6}, result);
    }
    report.saved({.written = {.step = 4, .bytes = 300, .seconds = 0.5}, .waited = 0.25});
    report.evaluation(5, Split::test,
                      {.samples = 8,
                       .values = {{find_metric("accuracy"), 0.75, 6},
                                  {find_metric("top5_accuracy"), 0.875, 7},
                                  {find_metric("loss"), 0.5}}});
    report.end({.step = 5, .seconds = 1.5, .parameters_sha256 = "abc"});
  }
  const auto lines = lines_of(folder / "metrics.jsonl");
  REQUIRE(lines.size() == 5);
  CHECK(has(lines[0], R"({"kind": "train", "step": 2, "wall_seconds": )"));
  CHECK(has(lines[0], R"("loss": 1, "learning_rate": 0.25)"));
  CHECK(!has(lines[0], "local"));
  for (const char* field : {"examples_per_second", "grad_norm", "share_data", "share_compute", "share_communication"}) {
    CHECK(has(lines[0], field));
  }
  CHECK(has(lines[1], R"("local": true)"));
  CHECK(has(lines[2], R"({"kind": "event", "step": 4, "wall_seconds": 1000.)"));
  CHECK(has(lines[2], R"("event": "saved", "bytes": 300, "write_seconds": 0.5, "wait_seconds": 0.25)"));
  CHECK(has(lines[3], R"("kind": "eval")"));
  CHECK(has(
      lines[3],
      R"("split": "test", "loss": 0.5, "samples": 8, "accuracy": 0.75, "correct": 6, "top5_accuracy": 0.875, "in_top5": 7)"));
  CHECK(has(lines[4], R"("finished": true, "parameters_sha256": "abc")"));
}

TEST_CASE("real targets have no accuracy") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  Report report(log, trace, std::make_unique<MetricsFile>(folder / "metrics.jsonl", ""), {});
  report.evaluation(1, Split::dev,
                    {.samples = 8,
                     .values = {{find_metric("mean_squared_error"), 0.5},
                                {find_metric("mean_absolute_error"), 0.625},
                                {find_metric("loss"), 0.25}}});
  const auto lines = lines_of(folder / "metrics.jsonl");
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], R"("loss": 0.25, "samples": 8, "mean_squared_error": 0.5, "mean_absolute_error": 0.625)"));
}

}  // namespace
}  // namespace lockstep
