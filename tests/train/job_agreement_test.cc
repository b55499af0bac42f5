#include "train/job_agreement.h"

#include <doctest/doctest.h>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("ranks that agree go on") {
  for_ranks([](Communicator& world) {
    const std::vector<AgreedItem> items{{"short", "1"}, {"long", std::string(1000, 'x')}, {"empty", ""}};
    CHECK_NOTHROW(check_agreement(world, items));
  });
}

TEST_CASE("the first thing that differs is named with a rank and both values") {
  for_ranks([](Communicator& world) {
    if (world.size() < 2) return;
    const bool last = world.rank() == world.size() - 1;
    const std::vector<AgreedItem> items{
        {"same", "1"}, {"samples", last ? "59900" : "60000"}, {"also", last ? "a" : "b"}};
    try {
      check_agreement(world, items);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::configuration);
      CHECK(error.scope() == Scope::every_rank);
      const std::string expected =
          "samples is '60000' on rank 0 and '59900' on rank " + std::to_string(world.size() - 1);
      CHECK_MESSAGE(std::string(error.what()).find(expected) != std::string::npos, error.what());
    }
  });
}

TEST_CASE("values that are too long to send differ by their digest") {
  for_ranks([](Communicator& world) {
    if (world.size() < 2) return;
    const std::string text = std::string(1000, 'x') + (world.rank() == 0 ? "a" : "b");
    const std::vector<AgreedItem> items{{"long", text}};
    CHECK_THROWS_AS(check_agreement(world, items), Error);
  });
}

}  // namespace lockstep
