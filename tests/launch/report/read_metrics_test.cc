#include "launch/report/read_metrics.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <cmath>

namespace lockstep {
namespace {

Run read(const std::string& text, const std::string& part = "") {
  Run run;
  read_metrics(text, part, run);
  return run;
}

std::string train_line(int step, const std::string& members) {
  return fmt::format("{{\"kind\": \"train\", \"step\": {}, \"wall_seconds\": {}.5, {}}}\n", step, step, members);
}

}  // namespace

TEST_CASE("lines become columns; what a line does not have is not a number") {
  const Run run =
      read(train_line(10, R"("loss": 0.30000000000000004)") +
           train_line(20, R"("loss": null, "grad_norm": 2, "local": true)") + train_line(30, R"("loss": 1)"));
  CHECK(run.training.steps == std::vector<std::int64_t>{10, 20, 30});
  CHECK(run.training.seconds == std::vector<double>{10.5, 20.5, 30.5});
  REQUIRE(run.training.columns.size() == 2);
  const auto& loss = *run.training.find("loss");
  const auto& norm = *run.training.find("grad_norm");
  CHECK(loss.values[0] == 0.30000000000000004);
  CHECK(std::isnan(loss.values[1]));
  CHECK(loss.values[2] == 1);
  REQUIRE(norm.values.size() == 3);
  CHECK(std::isnan(norm.values[0]));
  CHECK(norm.values[1] == 2);
  CHECK(std::isnan(norm.values[2]));
  CHECK(run.lines_left_out == 0);
}

TEST_CASE("evaluations on each split, and those of separate evaluators, are apart") {
  const std::string line = R"({"kind": "eval", "step": 5, "wall_seconds": 1, "split": "train", "loss": 3})"
                           "\n";
  Run run = read(train_line(5, R"("loss": 2)") + line);
  read_metrics(line + R"({"kind": "start", "step": 0})" + "\n", "eval_train", run);
  CHECK(run.training.find("loss")->values == std::vector<double>{2});
  REQUIRE(run.evaluations.size() == 2);
  CHECK(run.evaluations[0].name == "train");
  CHECK(run.evaluations[1].name == "eval_train/train");
  CHECK(run.starts.empty());
  CHECK(run.lines_left_out == 0);
}

TEST_CASE("a step that an evaluator came back to stands in its place") {
  std::string text;
  for (const int step : {10, 30, 20}) {
    text += fmt::format(R"({{"kind": "eval", "step": {}, "wall_seconds": 1, "split": "dev", "loss": {}}})", step,
                        step / 10);
    text += "\n";
  }
  const Run run = read(text, "eval");
  REQUIRE(run.evaluations.size() == 1);
  CHECK(run.evaluations[0].steps == std::vector<std::int64_t>{10, 20, 30});
  CHECK(run.evaluations[0].find("loss")->values == std::vector<double>{1, 2, 3});
}

TEST_CASE("broken and half lines are left out and counted, and the others stay") {
  const std::string good = train_line(1, R"("loss": 2)");
  const std::string bad[] = {"\n",
                             "[1]\n",
                             "{\"kind\": \"train\"}\n",
                             "{\"kind\": \"train\", \"step\": -1}\n",
                             "{\"kind\": \"train\", \"step\": 1.5}\n",
                             "{\"kind\": \"train\", \"step\": 99999999999999999999}\n",
                             "{\"kind\": \"dance\", \"step\": 1}\n",
                             "{\"kind\": \"eval\", \"step\": 1, \"loss\": 2}\n",
                             good.substr(0, 20) + "\n",
                             std::string(50, '\0') + "\n",
                             "{\"kind\": \"train\", \"step\": 1, \"\xff\": 2}\n"};
  for (const std::string& line : bad) {
    CAPTURE(line);
    const Run run = read(good + line + good);
    CHECK(run.lines_left_out == 1);
    CHECK(run.training.steps.size() == 2);
  }
  const Run cut = read(good + good.substr(0, good.size() - 1));
  CHECK(cut.lines_left_out == 1);
  CHECK(cut.training.steps.size() == 1);
  CHECK(read("").lines_left_out == 0);
}

TEST_CASE("a file that invents names takes no memory for them") {
  std::string text;
  for (int line = 0; line < 500; ++line) text += train_line(line, fmt::format(R"("name{}": 1)", line));
  const Run run = read(text);
  CHECK(run.training.columns.size() == 64);
  CHECK(run.training.steps.size() == 64);
  CHECK(run.lines_left_out == 500 - 64);
}

}  // namespace lockstep
