#include "train/saved/saved_steps.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("the steps that a run has saved, by its own lines") {
  CHECK(saved_steps(R"({"kind": "start", "step": 0, "wall_seconds": 0}
{"kind": "event", "step": 10, "wall_seconds": 1, "event": "saved", "bytes": 300}
{"kind": "train", "step": 12, "wall_seconds": 1, "loss": 2.5}
{"kind": "event", "step": 12, "wall_seconds": 1, "event": "stopping", "reason": "saved"}
no line of ours, though it says "saved"
{"kind": "event", "step": 20, "wall_seconds": 2, "event": "saved", "bytes": 300}
{"kind": "event", "step": 30, "wall_seconds": 2, "event": "saved", "by)") == std::vector<std::int64_t>{10, 20});
  CHECK(saved_steps("").empty());
}

}  // namespace lockstep
