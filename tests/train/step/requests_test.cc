#include "train/step/requests.h"

#include <doctest/doctest.h>

#include <thread>

#include "base/clock.h"
#include "support/ranks.h"

namespace lockstep {

using namespace std::chrono_literals;

TEST_CASE("who asks, and why, reaches every rank") {
  for_rank_contexts([](RankContext& rank) {
    Communicator& world = rank.communicator;
    const int last = world.size() - 1;
    const std::atomic<bool> stop = world.rank() == last;
    Requests requests(
        world, {.requested = &stop, .reason = [] { return "SIGUSR1 from process 7"; }, .signal = [] { return 10; }},
        {});
    CHECK(requests.any() == (world.rank() == last));
    const Requests::Agreed agreed = requests.agree();
    CHECK(!agreed.save);
    REQUIRE(agreed.stop);
    CHECK(agreed.stop->starts_with("SIGUSR1 from process 7"));
    CHECK(agreed.signal == 10);
    if (world.size() > 1) CHECK(agreed.stop->ends_with(", seen by rank " + std::to_string(last)));
  });
}

TEST_CASE("the chief's clock asks to save, again only after another save") {
  for_rank_contexts([](RankContext& rank) {
    Communicator& world = rank.communicator;
    // Compares with the time that passed here: a busy machine may stop this rank at any place.
    const Stopwatch since_start;
    Requests requests(world, {}, {.chief = world.rank() == 0, .save_time = 1s});
    const bool at_once = requests.any();
    CHECK((!at_once || since_start.seconds() >= 1));
    std::this_thread::sleep_for(1050ms);
    CHECK(requests.any() == (world.rank() == 0));
    const Requests::Agreed agreed = requests.agree();
    CHECK(agreed.save);
    CHECK(!agreed.stop);
    const Stopwatch since_save;
    requests.saved();
    const bool again = requests.any();
    CHECK((!again || since_save.seconds() >= 1));
  });
}

TEST_CASE("before an evaluation the chief asks to save sooner") {
  for_rank_contexts([](RankContext& rank) {
    Communicator& world = rank.communicator;
    Requests requests(world, {}, {.chief = world.rank() == 0, .save_time = 600s, .save_time_before_evaluation = 1s});
    std::this_thread::sleep_for(1050ms);
    CHECK(!requests.any());
    requests.evaluation_follows(true);
    CHECK(requests.any() == (world.rank() == 0));
    CHECK(requests.agree().save);
  });
}

TEST_CASE("a request to save is the chief's, and is granted once") {
  for_rank_contexts([](RankContext& rank) {
    Communicator& world = rank.communicator;
    std::atomic<std::int64_t> asked = 2;  // both came before the first step
    Requests requests(world, {.save_requests = &asked}, {.chief = world.rank() == 0});
    CHECK(requests.any() == (world.rank() == 0));
    const Requests::Agreed agreed = requests.agree();
    CHECK(agreed.save);
    CHECK(!agreed.stop);
    CHECK(!requests.any());
    CHECK(!requests.agree().save);
    asked = 3;
    CHECK(requests.any() == (world.rank() == 0));
  });
}

TEST_CASE("--stop_after leaves time for the slowest step so far and for the save") {
  for_rank_contexts([](RankContext& rank) {
    Requests requests(rank.communicator, {}, {.chief = rank.communicator.rank() == 0, .time_limit = 1000s});
    requests.at_meeting(600);  // 900 s are reserved
    CHECK(!requests.any());
    requests.at_meeting(700);
    CHECK(requests.any() == (rank.communicator.rank() == 0));
    const Requests::Agreed agreed = requests.agree();
    REQUIRE(agreed.stop);
    CHECK(agreed.stop->find("--stop_after=1000s") != std::string::npos);
    CHECK(agreed.signal == 0);
  });
}

}  // namespace lockstep
