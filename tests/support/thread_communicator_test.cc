#include "support/thread_communicator.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "support/ranks.h"

namespace lockstep {
namespace {

// Returns the message of the exception that `body` throws, "" if it does not throw.
template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::internal);
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a wait that lasts too long throws and names who did not come") {
  ThreadWorld world(3, std::chrono::milliseconds(50));
  StatusLine line;
  Trace trace(line, 1);
  const auto communicator = world.communicator(1, trace);
  const Stopwatch clock;
  const std::string why = error_of([&] { meet(*communicator); });
  CHECK(contains(why, "all-gather"));
  CHECK(contains(why, "ranks 0, 2"));
  CHECK(clock.seconds() < 20);
  CHECK(contains(error_of([&] { meet(*communicator); }), "did not come"));  // and from then on it fails at once
}

TEST_CASE("poison wakes all who wait, in every group, and the first message stays") {
  ThreadWorld world(4);
  const auto page = NodePage::in_process(4);
  std::atomic<int> woken = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int rank = 0; rank < 4; ++rank) {
    threads.emplace_back([&, rank] {
      Trace trace(page->line(rank), rank);
      const auto communicator = world.communicator(rank, trace);
      const auto pair = communicator->split(rank / 2, 0);
      if (rank == 3) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        world.poison("rank 3 has had enough");
        world.poison("something later");
        return;
      }
      woken += error_of([&] { meet(*(rank == 2 ? pair : communicator)); }) == "rank 3 has had enough" ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(woken == 3);
}

TEST_CASE("ranks that call different operations, or with different sizes, are reported") {
  const auto error_of_two_ranks = [](const std::function<void(RankContext&)>& body) {
    return error_of([&] { for_thread_ranks(2, body); });
  };
  const std::string operations = error_of_two_ranks([](RankContext& context) {
    float value = 0;
    if (context.communicator.rank() == 0) meet(context.communicator);
    context.communicator.all_reduce({&value, DType::float32, {1}});
  });
  CHECK(contains(operations, "rank 0 calls all-gather of 1 bytes where rank 1 calls all-reduce of 1 float32"));

  const std::string sizes = error_of_two_ranks([](RankContext& context) {
    float values[2] = {};
    context.communicator.all_reduce({values, DType::float32, {context.communicator.rank() + 1}});
  });
  CHECK(contains(sizes, "of 1 float32"));
  CHECK(contains(sizes, "of 2 float32"));

  const std::string pieces = error_of_two_ranks([](RankContext& context) {
    const int other = 1 - context.communicator.rank();
    const char out = 1;
    char in[2] = {};
    const SendPiece send{other, std::as_bytes(std::span(&out, 1))};
    const ReceivePiece receive{other, std::as_writable_bytes(std::span(in))};
    context.communicator.exchange({&send, 1}, {&receive, 1});
  });
  CHECK(contains(pieces, "awaits 2 bytes from rank"));
  CHECK(contains(pieces, "which sends 1"));
}

TEST_CASE("for_thread_ranks throws what the first rank to fail threw") {
  const std::string why = error_of([] {
    for_thread_ranks(5, [](RankContext& context) {
      if (context.communicator.rank() == 3) throw Error(ExitCode::internal, "no disk");
      meet(context.communicator);
    });
  });
  CHECK(why == "no disk");
}

}  // namespace lockstep
