#include "train/output/lost_steps.h"

#include <doctest/doctest.h>

namespace lockstep {

TEST_CASE("what a killed run had made and not saved is told, by the later of two witnesses") {
  CHECK(describe_lost_steps({.reached = 800}, 888, 500) ==
        "the run before this one ended without saving: it had made 887 steps at least, and the newest checkpoint is of "
        "step 500: 387 steps are made again");
  CHECK(describe_lost_steps({.reached = 501}, 0, 500).ends_with("step 500: 1 step is made again"));
  CHECK(describe_lost_steps({.reached = 0}, 62, {}) ==
        "the run before this one ended without saving: it had made 61 steps at least, and there is no checkpoint: "
        "training begins anew");
}

TEST_CASE("nothing is told where nothing was lost") {
  CHECK(describe_lost_steps({}, 0, {}).empty());
  CHECK(describe_lost_steps({.reached = 500}, 501, 500).empty());
  CHECK(describe_lost_steps({.reached = 500}, 0, 500).empty());
  CHECK(describe_lost_steps({.reached = 900, .ended = true}, 0, 500).empty());  // --resume=previous
}

}  // namespace lockstep
