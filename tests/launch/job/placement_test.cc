#include "launch/job/placement.h"

#include <doctest/doctest.h>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("every rank learns every rank's place") {
  for_ranks([](Communicator& world) {
    const std::string number = std::to_string(world.rank());
    const Role role = world.rank() == 0 ? Role::chief : Role::worker;
    const auto places = gather_placements(world, {role, world.rank() != 1, "host" + number, "cpu", number});
    REQUIRE(places.size() == static_cast<std::size_t>(world.size()));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      CHECK(places[rank].host == "host" + std::to_string(rank));
      CHECK(places[rank].cores == std::to_string(rank));
      CHECK(places[rank].role == (rank == 0 ? Role::chief : Role::worker));
      CHECK(places[rank].has_shares == (rank != 1));
    }
  });
}

TEST_CASE("a small world has one line per rank, a large one one line per host") {
  std::vector<RankPlacement> places{{Role::chief, false, "a", "cpu", "0"},
                                    {Role::worker, true, "a", "cpu", "1"},
                                    {Role::parameter_server, false, "b", "cuda:0", "0-3"}};
  CHECK(describe_placements(places) == std::vector<std::string>{"rank 0  chief without data  a  cpu  cores 0",
                                                                "rank 1  worker  a  cpu  cores 1",
                                                                "rank 2  parameter server  b  cuda:0  cores 0-3"});
  places.assign(40, {Role::worker, true, "a", "cpu", "0"});
  places[0].role = Role::chief;
  places[16].host = "b";
  CHECK(describe_placements(places) == std::vector<std::string>{"rank 0  chief  a  cpu", "ranks 1-15  worker  a  cpu",
                                                                "rank 16  worker  b  cpu",
                                                                "ranks 17-39  worker  a  cpu"});
}

}  // namespace lockstep
