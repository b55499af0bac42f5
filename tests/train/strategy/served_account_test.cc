#include "train/strategy/served_account.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

TEST_CASE("the account of a run with parameter servers") {
  const StrategyAccount told = served_account({.servers = {{.bytes = 3'000'000'000, .busy = 0.5, .seconds = 2},
                                                           {.bytes = 500'000'000, .busy = 2, .seconds = 2}},
                                               .batches = {30, 0, 70},
                                               .staleness = {20, 60, 9, 0, 9, 2}});
  REQUIRE(told.lines.size() == 3);
  CHECK(told.lines[0] == "steps by rank: 30, 0, 70");
  CHECK(told.lines[1] == "gradients by their age in updates: 0: 20 %, 1: 60 %, 2 to 4: 18 %, 5: 2 %; on average 1.2");
  CHECK(told.lines[2] == "parameter servers: 1.50 GB/s, busy 25 %; 0.25 GB/s, busy 100 %");
  REQUIRE(told.members.size() == 4);
  CHECK(
      Json(told.members).text() ==
      R"({"steps_by_rank":[30,0,70],"staleness":[20,60,9,0,9,2],"server_bytes_per_second":[1500000000.0,250000000.0],)"
      R"("server_busy":[0.25,1.0]})");
  CHECK(served_account({}).lines.empty());

  const StrategyAccount with_loss = served_account({.batches = {1, 0, 0}, .lost = {0, 1, 1}, .staleness = {1}});
  CHECK(with_loss.lines.back() == "died during the run: ranks 1, 2");
  CHECK(Json(with_loss.members).text().ends_with(R"("lost_ranks":[1,2]})"));
}

TEST_CASE("the progress of a run with parameter servers is what was added since the account before") {
  const PsAccount before{
      .servers = {{.bytes = 1000, .busy = 1, .seconds = 10}}, .batches = {3, 7}, .staleness = {4, 6}};
  const PsAccount now{
      .servers = {{.bytes = 5000, .busy = 2, .seconds = 12}}, .batches = {5, 9}, .staleness = {4, 7, 0, 2, 1}};
  CHECK(Json(served_progress(before, now)).text() ==
        R"({"staleness_mean":2.75,"staleness_max":4,"steps_by_rank/0":5,"steps_by_rank/1":9,)"
        R"("server_bytes_per_second/0":2000.0,"server_busy/0":0.5})");
  CHECK(Json(served_progress({}, before)).text() ==
        R"({"staleness_mean":0.6,"staleness_max":1,"steps_by_rank/0":3,"steps_by_rank/1":7,)"
        R"("server_bytes_per_second/0":100.0,"server_busy/0":0.1})");
  CHECK(served_progress(now, now).empty());
}

}  // namespace
}  // namespace lockstep
