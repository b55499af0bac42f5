#include "train/report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <tuple>
#include <utility>
#include <vector>

#include "support/temporary_folder.h"
#include "train/output/metrics.h"

namespace lockstep {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& line, const std::string& part) { return line.find(part) != std::string::npos; }

// A run's end, as far as it shows in the lines.
struct End {
  std::int64_t step = 0;
  double seconds = 0;
  bool stopped = false;
};
TrainOutcome ended(const End& end) {
  TrainOutcome outcome;
  outcome.step = end.step;
  outcome.seconds = end.seconds;
  outcome.stopped = end.stopped;
  outcome.parameters_sha256 = "abc";
  return outcome;
}

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
    report.end(ended({.step = 5, .seconds = 1.5}));
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
  CHECK(has(lines[4], R"("finished": true, "parameters_sha256": "abc", "seconds": 1.5)"));
  for (const char* field : {"examples_per_second", "share_data", "share_compute", "share_communication",
                            "share_waiting", "share_evaluation", "share_saving", "peak_memory_bytes"}) {
    CHECK(has(lines[4], field));
  }
  CHECK(has(
      lines[4],
      R"("evaluation": {"step": 5, "split": "test", "loss": 0.5, "samples": 8, "accuracy": 0.75, "correct": 6, "top5_accuracy": 0.875, "in_top5": 7}})"));
}

TEST_CASE("the train lines of a rank that computes nothing say nothing of where time goes") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  {
    Report report(log, trace, std::make_unique<MetricsFile>(folder / "metrics.jsonl", ""),
                  {.train_steps = 2, .log_every = 1, .computes = false});
    report.step({.number = 1, .examples = 6}, {.sums = {.loss = 3, .weight = 6}});
  }
  const auto lines = lines_of(folder / "metrics.jsonl");
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], "examples_per_second"));
  CHECK(!has(lines[0], "share_"));
}

TEST_CASE("a start has a line that says what it computes; an end without an evaluation makes none up") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  Report report(log, trace, std::make_unique<MetricsFile>(folder / "metrics.jsonl", ""), {.wall_seconds = 1000});
  report.started(40, Json::Object{{"ranks", 3}, {"hparams", Json::Object{{"learning_rate", 0.5}}}});
  report.end(ended({.step = 41, .stopped = true}));
  const auto lines = lines_of(folder / "metrics.jsonl");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with(R"({"kind": "start", "step": 40, "wall_seconds": 1000)"));
  CHECK(lines[0].ends_with(R"("ranks": 3, "hparams": {"learning_rate": 0.5}})"));
  CHECK(!has(lines[1], R"("evaluation")"));
}

TEST_CASE("a replica that saw no data shows no loss, in the first line as in the others") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  log.open_file(folder / "rank.log");
  Report report(log, trace, nullptr, {.train_steps = 9, .log_every = 2});
  for (std::int64_t step = 1; step <= 2; ++step) report.step({.number = step}, {.sums = {}, .local = true});
  const auto lines = lines_of(folder / "rank.log");
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[0], "step 1/9  no loss (this rank has no data)  (the first step)"));
  CHECK(has(lines[1], "step 2/9  epoch 0.00  no loss (this rank has no data)  learning rate"));
}

TEST_CASE("75 means saved: a run that was stopped with nothing saved ends with the signal's code") {
  CHECK(exit_code_of({}) == ExitCode::done);
  CHECK(exit_code_of({.stopped = true, .saved = true, .signal = 15}) == ExitCode::stopped);
  CHECK(exit_code_of({.stopped = true, .saved = true}) == ExitCode::stopped);
  CHECK(static_cast<int>(exit_code_of({.stopped = true, .signal = 15})) == 143);
  CHECK(exit_code_of({.stopped = true}) == ExitCode::done);  // --stop_after is the requested length
}

TEST_CASE("the end says which evaluation was the best, by the metric's own sense of better") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  log.open_file(folder / "log");
  for (const char* metric : {"accuracy", "mean_squared_error"}) {
    Report report(log, trace, std::make_unique<MetricsFile>(folder / metric, ""), {.metric = find_metric(metric)});
    for (const auto& [step, mean] : {std::pair{1, 0.25}, {2, 0.75}, {3, 0.5}}) {
      report.evaluation(step, Split::test,
                        {.samples = 8, .values = {{find_metric(metric), mean}, {find_metric("loss"), 1}}});
    }
    report.end(ended({.step = 3}));
  }
  CHECK(has(lines_of(folder / "accuracy").back(), R"("best_evaluation": {"step": 2, )"));
  CHECK(has(lines_of(folder / "mean_squared_error").back(), R"("best_evaluation": {"step": 1, )"));
  const auto said = lines_of(folder / "log");
  CHECK(std::ranges::any_of(said, [](const std::string& text) {
    return has(text, "best of 3 evaluations: accuracy 75.00 % after step 2; last: accuracy 50.00 % after step 3");
  }));
}

TEST_CASE("evaluations before the run was resumed count") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  log.open_file(folder / "log");
  const auto past = [](std::int64_t step, double accuracy) {
    return PastEvaluation{
        .step = step, .value = accuracy, .members = {{"split", "dev"}, {"samples", 8}, {"accuracy", accuracy}}};
  };
  Report report(log, trace, std::make_unique<MetricsFile>(folder / "metrics.jsonl", ""),
                {.first_step = 21, .metric = find_metric("accuracy"), .evaluations = {past(10, 0.75), past(20, 0.25)}});
  report.evaluation(30, Split::dev,
                    {.samples = 8, .values = {{find_metric("accuracy"), 0.5, 4}, {find_metric("loss"), 1}}});
  report.end(ended({.step = 30}));
  const auto said = lines_of(folder / "log");
  CHECK(std::ranges::any_of(said, [](const std::string& text) {
    return has(text, "best of 3 evaluations: accuracy 75.00 % after step 10; last: accuracy 50.00 % after step 30");
  }));
  const std::string end = lines_of(folder / "metrics.jsonl").back();
  CHECK(has(end, R"("best_evaluation": {"step": 10, "split": "dev", "samples": 8, "accuracy": 0.75})"));
  CHECK(has(end,
            R"("evaluation": {"step": 30, "split": "dev", "loss": 1, "samples": 8, "accuracy": 0.5, "correct": 4})"));
}

TEST_CASE("the result says which steps this start has made, and whether the run ended early") {
  const auto result_of = [](std::int64_t first_step, const TrainOutcome& outcome) {
    const TemporaryFolder folder;
    StatusLine line;
    Trace trace(line, 0);
    Log log(0, 1, true);
    log.open_file(folder / "log");
    Report(log, trace, nullptr, {.first_step = first_step, .train_steps = 350}).end(outcome);
    const std::string said = lines_of(folder / "log").back();
    return said.substr(said.find("] ") + 2);
  };
  CHECK(result_of(1, ended({.step = 350, .seconds = 3})) ==
        "trained 350 steps (0.0 epochs) in 3.0 s: nothing was evaluated");
  CHECK(result_of(301, ended({.step = 350, .seconds = 3})) ==
        "trained 350 steps (0.0 epochs), the last 50 in 3.0 s: nothing was evaluated");
  CHECK(result_of(301, ended({.step = 310, .seconds = 3})) ==
        "trained 310 steps (0.0 epochs), the last 10 in 3.0 s, ended early: nothing was evaluated");
  CHECK(result_of(351, ended({.step = 350})) == "already finished after 350 steps (0.0 epochs): nothing was evaluated");
  CHECK(result_of(301, ended({.step = 320, .seconds = 3, .stopped = true}))
            .starts_with("stopped after 320 steps (0.0 epochs), the last 20 in 3.0 s: nothing is saved, "));
}

TEST_CASE("the best is the best by the metric that the run chooses by") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  Report report(log, trace, std::make_unique<MetricsFile>(folder / "metrics.jsonl", ""),
                {.metric = find_metric("loss")});
  for (const auto& [step, accuracy, loss] : {std::tuple{1, 0.5, 0.25}, {2, 0.75, 0.5}}) {
    report.evaluation(step, Split::dev,
                      {.samples = 8, .values = {{find_metric("accuracy"), accuracy}, {find_metric("loss"), loss}}});
  }
  report.end(ended({.step = 2}));
  CHECK(has(lines_of(folder / "metrics.jsonl").back(), R"("best_evaluation": {"step": 1, )"));
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

// Returns the log's text about an evaluation, after the split's name.
std::string said_of(const EvaluationResult& result) {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  log.open_file(folder / "log");
  Report(log, trace, nullptr, {}).evaluation(1, Split::test, result);
  const auto lines = lines_of(folder / "log");
  REQUIRE(lines.size() == 1);
  const std::string before = "evaluation after step 1: test ";
  REQUIRE(has(lines[0], before));
  return lines[0].substr(lines[0].find(before) + before.size());
}

TEST_CASE("what an evaluation says to people leaves out what says nothing") {
  const auto of_classes = [](std::int64_t classes) {
    return said_of({.samples = 8,
                    .outputs = classes,
                    .values = {{find_metric("accuracy"), 0.75, 6},
                               {find_metric("top5_accuracy"), 0.875, 7},
                               {find_metric("loss"), 0.5}}});
  };
  CHECK(of_classes(3) == "accuracy 75.00 % (6 of 8), loss 0.50000");
  CHECK(of_classes(5) == "accuracy 75.00 % (6 of 8), loss 0.50000");
  CHECK(of_classes(6) == "accuracy 75.00 % (6 of 8), top-5 87.50 %, loss 0.50000");
  const auto of_errors = [](double loss) {
    return said_of({.samples = 8,
                    .values = {{find_metric("mean_squared_error"), 0.5},
                               {find_metric("mean_absolute_error"), 0.625},
                               {find_metric("loss"), loss}}});
  };
  CHECK(of_errors(0.5) == "mean squared error 0.50000, mean absolute error 0.62500 over 8 samples");
  CHECK(of_errors(0.5 + 1e-9) == "mean squared error 0.50000, mean absolute error 0.62500 over 8 samples");
  CHECK(of_errors(0.25) == "mean squared error 0.50000, mean absolute error 0.62500 over 8 samples, loss 0.25000");
}

TEST_CASE("a log that was silent for long has a line at the next step, which metrics.jsonl has not") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  log.open_file(folder / "log");
  {
    Report report(log, trace, std::make_unique<MetricsFile>(folder / "metrics.jsonl", ""),
                  {.train_steps = 9, .log_every = 4, .most_silence = 0});
    for (std::int64_t step = 1; step <= 4; ++step) {
      report.step({.number = step, .examples = 6}, {.sums = {.loss = 3, .weight = 6}});
    }
    report.evaluating(0.25);
  }
  const auto lines = lines_of(folder / "log");
  REQUIRE(lines.size() == 5);
  CHECK(has(lines[0], "step 1/9  loss 0.50000  (the first step)"));
  for (const int step : {2, 3, 4}) {
    CHECK(has(lines[static_cast<std::size_t>(step) - 1], "step " + std::to_string(step) + "/9  epoch "));
  }
  CHECK(has(lines[4], "evaluating: 25 % done"));
  const auto metrics = lines_of(folder / "metrics.jsonl");
  REQUIRE(metrics.size() == 1);
  CHECK(has(metrics[0], R"("step": 4)"));
}

TEST_CASE("--log_every=0: no lines about training, but what came of it") {
  const TemporaryFolder folder;
  StatusLine line;
  Trace trace(line, 0);
  Log log(0, 1, true);
  log.open_file(folder / "log");
  {
    Report report(log, trace, std::make_unique<MetricsFile>(folder / "metrics.jsonl", ""),
                  {.train_steps = 1, .log_every = 0, .files = RunFiles{}});
    report.step({.number = 1, .examples = 6}, {.sums = {.loss = 3, .weight = 6}});
    report.end(ended({.step = 1}));
  }
  CHECK(lines_of(folder / "metrics.jsonl").size() == 1);
  const auto lines = lines_of(folder / "log");
  REQUIRE(lines.size() == 4);
  CHECK(has(lines[0], "samples/s on average"));
  CHECK(has(lines[2], "trained 1 step (0.0 epochs) in "));
}

}  // namespace
}  // namespace lockstep
