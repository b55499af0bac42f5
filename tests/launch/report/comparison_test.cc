#include "launch/report/comparison.h"

#include <doctest/doctest.h>

#include "launch/report/read_metrics.h"
#include "launch/report/run_text.h"

namespace lockstep {
namespace {

Run read(const std::string& text, const std::string& name) {
  Run run{.name = name};
  read_metrics(text, "", run);
  return run;
}

constexpr const char* kLong =
    R"({"kind": "start", "step": 0, "wall_seconds": 0, "ranks": 3}
{"kind": "train", "step": 10, "wall_seconds": 1.5, "loss": 4, "examples_per_second": 100}
{"kind": "eval", "step": 10, "wall_seconds": 2, "split": "dev", "loss": 3, "samples": 8, "accuracy": 0.712345}
{"kind": "train", "step": 20, "wall_seconds": 2.5, "loss": 2.0000001, "examples_per_second": 84512.3}
{"kind": "eval", "step": 20, "wall_seconds": 3, "split": "dev", "loss": 2, "samples": 8, "accuracy": 0.625}
{"kind": "train", "step": 30, "wall_seconds": 2.5, "loss": null, "examples_per_second": 99999}
{"kind": "end", "step": 30, "wall_seconds": 3725, "finished": true}
)";

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

}  // namespace

TEST_CASE("runs have a row each, with what is known of them") {
  CHECK(comparison_text(std::vector<Run>{read(kLong, "LONG"), read("", "B")}) ==
        "  run   ranks  steps  last loss                 best  at step  samples/s   time\n"
        "  LONG      3     30          2  dev accuracy 0.7123       10     84,512  1h02m\n"
        "  B         -      0          -                    -        -          -   0.0s\n");
}

TEST_CASE("the text form of several runs says what differs in their configuration, and nothing where nothing does") {
  std::vector<Run> runs{read(kLong, "A"), read(kLong, "B")};
  runs[0].config = parse_json(R"({"model": "mlp", "seed": 1, "hparams": {"learning_rate": 0.5}})");
  runs[1].config = parse_json(R"({"model": "mlp", "hparams": {"learning_rate": 0.25}})");
  CHECK(times(runs_text(runs),
              "\n  what differs             A     B\n"
              "  seed                     1     -\n"
              "  hparams.learning_rate  0.5  0.25\n\n") == 1);
  runs[1] = runs[0];
  CHECK(times(runs_text(runs), "what differs") == 0);
}

TEST_CASE("the text form of several runs begins with the table, and their curves have the same axes") {
  const std::string low = R"({"kind": "train", "step": 1, "wall_seconds": 1, "loss": 0.5}
{"kind": "train", "step": 90, "wall_seconds": 1, "loss": 1}
)";
  const std::string text = runs_text(std::vector<Run>{read(kLong, "LONG"), read(low, "LOW")});
  CHECK(text.starts_with("  run   ranks"));
  CHECK(times(text, "LONG: training loss\n           4 |") == 1);
  CHECK(times(text, "LOW: training loss\n           4 |") == 1);
  CHECK(times(text, "LONG: dev loss\n           4 |") == 1);
  CHECK(times(text, "step 90\n") == 3);  // below each curve of the loss
  CHECK(times(runs_text(std::vector<Run>{read(kLong, "LONG")}), "ranks  steps") == 0);
}

}  // namespace lockstep
