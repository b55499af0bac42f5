#include "train/evaluation/past_evaluations.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace lockstep {

using Evaluations = std::vector<std::pair<std::int64_t, double>>;

namespace {
Evaluations found_in(std::string_view text, std::string_view metric, std::string_view split, std::int64_t last_step) {
  Evaluations found;
  for (const PastEvaluation& past : past_evaluations(text, metric, split, last_step)) {
    found.emplace_back(past.step, past.value);
  }
  return found;
}
}  // namespace

TEST_CASE("evaluations of the split by the metric, up to the step; nothing else counts") {
  const std::string text =
      R"({"kind": "start", "step": 0, "wall_seconds": 0}
{"kind": "train", "step": 100, "wall_seconds": 1, "loss": 2.5}
{"kind": "eval", "step": 100, "wall_seconds": 1, "split": "dev", "loss": 0.1234567890123456, "accuracy": 1}
{"kind": "eval", "step": 100, "wall_seconds": 1, "split": "test", "loss": 7, "accuracy": 0.5}
no line of ours, though it says "eval"
{"kind": "eval", "step": 200, "wall_seconds": 2, "split": "dev", "loss": 3}
{"kind": "eval", "step": 300, "wall_seconds": 3, "split": "dev", "loss": 4, "accuracy": 0.25}
{"kind": "eval", "step": 400, "wall_seconds": 4, "split": "dev", "lo)";
  CHECK(found_in(text, "loss", "dev", 300) == Evaluations{{100, 0.1234567890123456}, {200, 3}, {300, 4}});
  CHECK(found_in(text, "loss", "dev", 299) == Evaluations{{100, 0.1234567890123456}, {200, 3}});
  CHECK(found_in(text, "accuracy", "dev", 1000) == Evaluations{{100, 1}, {300, 0.25}});
  CHECK(found_in(text, "loss", "test", 1000) == Evaluations{{100, 7}});
  CHECK(found_in("", "loss", "dev", 1000).empty());
}

TEST_CASE("of an evaluation all is kept that its line says, but for kind, step and time") {
  const auto found =
      past_evaluations(R"({"kind": "eval", "step": 9, "wall_seconds": 1, "split": "dev", "loss": 2, "samples": 8}
)",
                       "loss", "dev", 9);
  REQUIRE(found.size() == 1);
  CHECK(found.front() ==
        PastEvaluation{.step = 9, .value = 2, .members = {{"split", "dev"}, {"loss", 2}, {"samples", 8}}});
}

}  // namespace lockstep
