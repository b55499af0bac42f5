#include "launch/who_is_where.h"

#include <doctest/doctest.h>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("every rank learns every rank's place") {
  for_ranks([](Communicator& world) {
    const std::string number = std::to_string(world.rank());
    const auto places = gather_places(world, {"host" + number, "cpu", number});
    REQUIRE(places.size() == static_cast<std::size_t>(world.size()));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      CHECK(places[rank].host == "host" + std::to_string(rank));
      CHECK(places[rank].cores == std::to_string(rank));
    }
  });
}

TEST_CASE("a small world has a line a rank, a large one a line a host") {
  std::vector<RankPlace> places{{"a", "cpu", "0"}, {"a", "cpu", "1"}, {"b", "cuda:0", "0-3"}};
  CHECK(describe_places(places) == std::vector<std::string>{"rank 0 (chief)  a  cpu  cores 0",
                                                            "rank 1  a  cpu  cores 1", "rank 2  b  cuda:0  cores 0-3"});
  places.assign(40, {"a", "cpu", "0"});
  places[16] = {"b", "cpu", "0"};
  CHECK(describe_places(places) ==
        std::vector<std::string>{"ranks 0-15  a  cpu", "rank 16  b  cpu", "ranks 17-39  a  cpu"});
}

}  // namespace lockstep
