#include "collective/watch/watchdog.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

constexpr auto kTick = std::chrono::milliseconds(1);

RankStatus waiting(int rank, std::uint32_t sequence) {
  RankStatus status;
  status.rank = rank;
  status.phase = Phase::communicate;
  status.operation = Operation::all_reduce;
  status.sequence = sequence;
  status.group = kWorldGroup;
  status.group_sequence = sequence;
  status.groups[0] = {kWorldGroup, sequence};
  return status;
}

RankStatus elsewhere(int rank, std::uint32_t sequence, Phase phase) {
  RankStatus status;
  status.rank = rank;
  status.phase = phase;
  status.sequence = sequence;
  status.groups[0] = {kWorldGroup, sequence};
  return status;
}

// Returns the ticks until the verdict, at most `limit`.
int ticks_to_verdict(HangDetector& detector, const RankStatus& mine, const std::vector<RankStatus>& ranks, int limit) {
  for (int tick = 1; tick <= limit; ++tick) {
    if (detector.tick(mine, ranks)) return tick;
  }
  return -1;
}

WatchdogOptions fast_options(std::function<void(const std::string&)> print) {
  WatchdogOptions options;
  options.hang_timeout_s = 0.02;
  options.tick = kTick;
  options.grace = kTick;
  options.host = "here";
  options.world_size = 2;
  options.print = std::move(print);
  return options;
}

}  // namespace

TEST_CASE("a collective that lasts as many ticks as allowed hangs; the verdict comes once") {
  HangDetector detector(5);
  const RankStatus mine = waiting(0, 7);
  CHECK(ticks_to_verdict(detector, mine, {mine, elsewhere(1, 6, Phase::data)}, 100) == 6);  // the first only records
  CHECK(ticks_to_verdict(detector, mine, {mine}, 100) == -1);
}

TEST_CASE("the next collective starts anew, and outside of collectives nothing is counted") {
  HangDetector detector(5);
  for (std::uint32_t sequence = 1; sequence < 50; ++sequence) {
    const RankStatus mine = waiting(0, sequence);
    CHECK(ticks_to_verdict(detector, mine, {mine}, 5) == -1);
  }
  const RankStatus computing = elsewhere(0, 49, Phase::compute);
  CHECK(ticks_to_verdict(detector, computing, {computing}, 1000) == -1);
  const RankStatus mine = waiting(0, 49);
  CHECK(ticks_to_verdict(detector, mine, {mine}, 1000) == 5);
}

TEST_CASE("long phases are given ten times as long: this rank's own, and those of ranks that have not arrived") {
  RankStatus mine = waiting(0, 7);
  const auto with = [&mine](const RankStatus& other) {
    HangDetector detector(5);
    return ticks_to_verdict(detector, mine, {mine, other}, 1000);
  };
  CHECK(with(elsewhere(1, 6, Phase::compute)) == 6);
  CHECK(with(elsewhere(1, 6, Phase::write)) == 51);
  CHECK(with(elsewhere(1, 8, Phase::write)) == 6);  // has passed this collective: not the rank waited for
  mine.phase = Phase::evaluate;
  CHECK(with(elsewhere(1, 6, Phase::compute)) == 51);
}

TEST_CASE("a long phase that ends in time does not leave a deadline that has passed") {
  HangDetector detector(5);
  const RankStatus mine = waiting(0, 7);
  CHECK(ticks_to_verdict(detector, mine, {mine, elsewhere(1, 6, Phase::write)}, 31) == -1);
  CHECK(ticks_to_verdict(detector, mine, {mine, elsewhere(1, 6, Phase::compute)}, 10) == 2);
}

TEST_CASE("a rank that stands still outside of collectives is late, once; progress starts anew") {
  LateDetector detector(5);
  RankStatus mine = elsewhere(0, 7, Phase::compute);
  int late = 0;
  for (int tick = 0; tick < 100; ++tick) late += detector.tick(mine) ? 1 : 0;
  CHECK(late == 1);
  for (int tick = 0; tick < 100; ++tick) {
    mine.step = tick / 4;  // moves every four ticks
    CHECK_FALSE(detector.tick(mine));
  }
  mine.step = 1000;
  mine.phase = Phase::read;
  late = 0;
  for (int tick = 0; tick < 40; ++tick) late += detector.tick(mine) ? 1 : 0;
  CHECK(late == 0);
  for (int tick = 0; tick < 100; ++tick) late += detector.tick(waiting(0, 7)) ? 1 : 0;
  CHECK(late == 0);
}

TEST_CASE("a host prints one verdict, and every watchdog ends its rank") {
  const auto page = NodePage::in_process(2);
  Trace trace0(page->line(0), 0);
  Trace trace1(page->line(1), 1);
  std::mutex mutex;
  std::vector<std::string> printed;
  const auto print = [&](const std::string& text) {
    const std::scoped_lock lock(mutex);
    printed.push_back(text);
  };
  std::promise<void> hang0;
  std::promise<void> hang1;
  const auto scope0 = trace0.begin(Operation::exchange, 0);
  const auto scope1 = trace1.begin(Operation::exchange, 0);
  Watchdog watchdog0(*page, 0, trace0, fast_options(print), [&] { hang0.set_value(); });
  Watchdog watchdog1(*page, 1, trace1, fast_options(print), [&] { hang1.set_value(); });
  CHECK(hang0.get_future().wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  CHECK(hang1.get_future().wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  const std::scoped_lock lock(mutex);
  REQUIRE(printed.size() == 1);
  CHECK(printed[0].find("exchange") != std::string::npos);
  CHECK(printed[0].find("All ranks have arrived") != std::string::npos);
}

TEST_CASE("a rank that works is left alone, and the watchdog stops at once") {
  const auto page = NodePage::in_process(1);
  Trace trace(page->line(0), 0);
  std::atomic<bool> hang = false;
  const Stopwatch clock;
  {
    WatchdogOptions options = fast_options([](const std::string&) {});
    options.hang_timeout_s = 100;
    options.tick = std::chrono::seconds(50);
    const Watchdog watchdog(*page, 0, trace, options, [&] { hang = true; });
    const auto scope = trace.begin(Operation::exchange, 0);
  }
  CHECK_FALSE(hang);
  CHECK(clock.seconds() < 20);
}

}  // namespace lockstep
