#include "train/choosing/past_evaluations.h"

#include <doctest/doctest.h>

#include <string>

namespace lockstep {

using Evaluations = std::vector<PastEvaluation>;

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
  CHECK(past_evaluations(text, "loss", "dev", 300) == Evaluations{{100, 0.1234567890123456}, {200, 3}, {300, 4}});
  CHECK(past_evaluations(text, "loss", "dev", 299) == Evaluations{{100, 0.1234567890123456}, {200, 3}});
  CHECK(past_evaluations(text, "accuracy", "dev", 1000) == Evaluations{{100, 1}, {300, 0.25}});
  CHECK(past_evaluations(text, "loss", "test", 1000) == Evaluations{{100, 7}});
  CHECK(past_evaluations("", "loss", "dev", 1000).empty());
}

}  // namespace lockstep
