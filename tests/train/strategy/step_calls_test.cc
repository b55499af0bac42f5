#include "train/strategy/step_calls.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "support/check_error.h"

namespace lockstep {
namespace {

void refused(const std::string& why, const std::function<void()>& call) {
  check_error(ExitCode::internal, {why, "A step is begin_step(); for each share"}, call);
}

}  // namespace

TEST_CASE("a step's calls in their order, with two shares, one and none") {
  for (const int shares : {2, 1, 0}) {
    StepCalls calls(shares);
    for (int step = 0; step < 2; ++step) {
      calls.begin();
      for (int share = 0; share < shares; ++share) {
        CHECK(calls.add_share() == (share + 1 == shares));
        CHECK(calls.gradients({8, 16}) == share);
        CHECK(calls.gradients({0, 8}) == share);
      }
      CHECK_NOTHROW(calls.finish());
    }
  }
}

TEST_CASE("the call of a step that was left out is named") {
  StepCalls calls(1);
  refused("finish_step() was called, but no begin_step()", [&] { calls.finish(); });
  refused("add_share() was called, but no begin_step()", [&] { calls.add_share(); });
  refused("gradients are ready, but no begin_step()", [&] { calls.gradients({0, 8}); });
  calls.begin();
  refused("gradients are ready, but no add_share()", [&] { calls.gradients({0, 8}); });
  refused("finish_step() was called after 0 of the 1 share", [&] { calls.finish(); });
  calls.add_share();
  refused("add_share() was not followed by a whole backward pass", [&] { calls.finish(); });
  calls.gradients({8, 16});
  refused("add_share() was not followed by a whole backward pass", [&] { calls.add_share(); });
  calls.gradients({0, 8});
  refused("more often in a step than this rank has shares, 1 share", [&] { calls.add_share(); });
  calls.finish();
  refused("add_share() was called, but no begin_step()", [&] { calls.add_share(); });
}

}  // namespace lockstep
