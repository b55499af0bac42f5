#include "collective/abandon_guard.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "support/ranks.h"

namespace lockstep {

TEST_CASE("a guard abandons its communicator where an exception leaves the block, and only there") {
  for_thread_ranks(2, [](RankContext& context) {
    const auto communicator = context.communicator.split(0, context.communicator.rank());
    { const AbandonGuard guard(*communicator); }
    try {
      throw Error(ExitCode::internal, "caught");
    } catch (const Error&) {
      const AbandonGuard guard(*communicator);  // made while an exception is handled, and left normally
    }
    communicator->barrier();
    if (communicator->rank() == 1) {
      CHECK_THROWS_WITH_AS(communicator->barrier(), doctest::Contains("gave up"), Error);
      return;
    }
    try {
      const AbandonGuard guard(*communicator);
      throw Error(ExitCode::internal, "leaves");
    } catch (const Error&) {
      CHECK_THROWS_WITH_AS(communicator->barrier(), doctest::Contains("gave up"), Error);
    }
  });
}

}  // namespace lockstep
