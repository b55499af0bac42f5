#include "data/arrays/read_ahead.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace lockstep {
namespace {

void wait_until(const auto& condition) {
  const Stopwatch watch;
  while (!condition() && watch.seconds() < 20) std::this_thread::yield();
  CHECK(condition());
}

}  // namespace

TEST_CASE("blocks are loaded in the order in which they were announced, whatever fails") {
  std::vector<std::int64_t> loaded;
  std::atomic<int> count = 0;
  {
    ReadAhead ahead(
        [&](std::int64_t block) {
          loaded.push_back(block);
          ++count;
          if (block == 2) throw Error(ExitCode::bad_data, "block 2 is bad");
        },
        100);
    for (const std::int64_t block : {5, 2, 7, 1}) ahead.expect(block);
    wait_until([&] { return count == 4; });
  }
  CHECK(loaded == std::vector<std::int64_t>{5, 2, 7, 1});
}

TEST_CASE("the oldest are forgotten when too many wait; the end waits for none of them") {
  std::promise<void> hold;
  std::vector<std::int64_t> loaded;
  std::atomic<int> count = 0;
  {
    ReadAhead ahead(
        [&, wait = hold.get_future().share()](std::int64_t block) {
          loaded.push_back(block);
          ++count;
          wait.wait();
        },
        2);
    ahead.expect(0);
    wait_until([&] { return count == 1; });
    for (const std::int64_t block : {1, 2, 3}) ahead.expect(block);
    hold.set_value();
    wait_until([&] { return count == 3; });
  }
  CHECK(loaded == std::vector<std::int64_t>{0, 2, 3});
  const ReadAhead unused([](std::int64_t) {}, 1);
}

}  // namespace lockstep
