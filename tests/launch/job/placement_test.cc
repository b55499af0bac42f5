#include "launch/job/placement.h"

#include <doctest/doctest.h>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("every rank learns every rank's place") {
  for_ranks([](Communicator& world) {
    const std::string number = std::to_string(world.rank());
    const Role role = world.rank() == 0 ? Role::chief : Role::worker;
    const auto places =
        gather_placements(world, {role, world.rank() != 1, "host" + number, "cpu", number, world.rank() + 7});
    REQUIRE(places.size() == static_cast<std::size_t>(world.size()));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      CHECK(places[rank].host == "host" + std::to_string(rank));
      CHECK(places[rank].cores == std::to_string(rank));
      CHECK(places[rank].host_cores == static_cast<int>(rank) + 7);
      CHECK(places[rank].role == (rank == 0 ? Role::chief : Role::worker));
      CHECK(places[rank].has_shares == (rank != 1));
    }
  });
}

TEST_CASE("hosts with more ranks than cores are named in one line, with what that costs") {
  const auto rank_on = [](const std::string& host, int cores) {
    return RankPlacement{Role::worker, true, host, "cpu", "0", cores};
  };
  std::vector<RankPlacement> places{rank_on("a", 2), rank_on("b", 1), rank_on("a", 2)};
  CHECK(describe_crowded_hosts({}).empty());
  CHECK(describe_crowded_hosts(places).empty());
  places.push_back(rank_on("a", 2));
  places.back().role = Role::parameter_server;
  CHECK(describe_crowded_hosts(places).empty());
  places.push_back(rank_on("a", 2));
  CHECK(describe_crowded_hosts(places).starts_with(
      "3 ranks share 2 cores of a: they take turns, so gradients get older"));
  places.erase(places.end() - 2);
  CHECK(describe_crowded_hosts(places).starts_with("3 ranks share 2 cores of a: each step waits for the rank"));
  places.push_back(rank_on("b", 1));
  CHECK(describe_crowded_hosts(places).starts_with("2 ranks share 1 core of b, 3 ranks share 2 cores of a: each"));
  for (int i = 0; i < 9; ++i) places.push_back(rank_on("c" + std::to_string(i / 3), 2));
  CHECK(describe_crowded_hosts(places).find(" of c0, and 2 more hosts are as full: each") != std::string::npos);
  places.assign(5, rank_on("a", 0));  // a host that does not report its cores
  CHECK(describe_crowded_hosts(places).empty());
}

TEST_CASE("a small world has one line per rank, a large one one line per host") {
  std::vector<RankPlacement> places{{Role::chief, false, "a", "cpu", "0"},
                                    {Role::worker, true, "a", "cpu", "1"},
                                    {Role::parameter_server, false, "b", "cpu", "0-3"}};
  CHECK(describe_placements(places) == std::vector<std::string>{"rank 0  chief without data  a  cpu  cores 0",
                                                                "rank 1  worker  a  cpu  cores 1",
                                                                "rank 2  parameter server  b  cpu  cores 0-3"});
  places.assign(40, {Role::worker, true, "a", "cpu", "0"});
  places[0].role = Role::chief;
  places[16].host = "b";
  CHECK(describe_placements(places) == std::vector<std::string>{"rank 0  chief  a  cpu", "ranks 1-15  worker  a  cpu",
                                                                "rank 16  worker  b  cpu",
                                                                "ranks 17-39  worker  a  cpu"});
}

TEST_CASE("a device is shown with its name, in a large world each device of a host once") {
  constexpr const char* kCard = "NVIDIA H100 80GB HBM3";
  std::vector<RankPlacement> places(2, {Role::worker, true, "a", "cuda:1", "0", 0, kCard});
  CHECK(describe_placements(places)[1] == "rank 1  worker  a  cuda:1 (NVIDIA H100 80GB HBM3)  cores 0");
  places.assign(20, places[0]);
  for (std::size_t rank = 0; rank < places.size(); ++rank) places[rank].device = rank % 2 == 0 ? "cuda:0" : "cuda:1";
  CHECK(describe_placements(places) ==
        std::vector<std::string>{"ranks 0-19  worker  a  cuda:0 cuda:1 (NVIDIA H100 80GB HBM3)"});
}

}  // namespace lockstep
