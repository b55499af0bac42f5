#include "base/worker_thread.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace lockstep {

TEST_CASE("operations run in order, and wait() waits for all up to its own") {
  WorkerThread queue;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) queue.add([&order, i] { order.push_back(i); });
  queue.run([] {});
  REQUIRE(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
  queue.wait(0);
  CHECK_THROWS_AS(queue.wait(1000), Error);
}

TEST_CASE("a failure comes out of its ticket and all later ones, and nothing after it runs") {
  WorkerThread queue;
  bool ran = false;
  std::promise<void> gate;
  const auto good = queue.add([&] { gate.get_future().wait(); });
  const auto bad = queue.add([] { throw Error(ExitCode::internal, "the wire is cut"); });
  const auto later = queue.add([&ran] { ran = true; });
  gate.set_value();
  CHECK_THROWS_WITH_AS(queue.wait(bad), "the wire is cut", Error);
  CHECK_THROWS_WITH_AS(queue.wait(later), "the wire is cut", Error);
  CHECK_THROWS_WITH_AS(queue.add([] {}), "the wire is cut", Error);
  queue.wait(good);
  CHECK_FALSE(ran);
}

TEST_CASE("memory lasts as long as operations are under way") {
  WorkerThread queue;
  auto idle = std::make_shared<int>();
  const std::weak_ptr<int> watched_idle = idle;
  queue.keep_while_busy(std::move(idle));
  CHECK(watched_idle.expired());

  std::promise<void> gate;
  queue.add([&] { gate.get_future().wait(); });
  auto memory = std::make_shared<int>();
  const std::weak_ptr<int> watched = memory;
  queue.keep_while_busy(std::move(memory));
  CHECK_FALSE(watched.expired());
  const auto second = queue.add([&] { CHECK_FALSE(watched.expired()); });
  gate.set_value();
  queue.wait(second);
  CHECK(watched.expired());
}

TEST_CASE("an operation that is stuck does not keep the owner") {
  const auto gate = std::make_shared<std::promise<void>>();
  const auto ran = std::make_shared<std::atomic<bool>>(false);
  const auto begun = std::make_shared<std::promise<void>>();
  const auto ended = std::make_shared<std::promise<void>>();
  const Stopwatch clock;
  {
    WorkerThread queue;
    queue.add([gate, begun, ended] {
      begun->set_value();
      gate->get_future().wait();
      ended->set_value();
    });
    queue.add([ran] { *ran = true; });
    begun->get_future().wait();
  }
  CHECK(clock.seconds() < 20);
  gate->set_value();
  ended->get_future().wait();
  CHECK_FALSE(*ran);
}

}  // namespace lockstep
