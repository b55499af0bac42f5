// Clients of any speed: every gradient is applied exactly once, and every pull and every cut is of one update.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "collective/messages.h"
#include "ps/counted.h"
#include "ps/test_job.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

// Works on batches, each client at its own pace. at_batch: called on the chief before it takes a batch.
void work(RankContext& context, TestClient& test, const std::function<void()>& at_batch = {}) {
  const int rank = context.communicator.rank();
  double weight = 0;
  while (true) {
    if (rank == 0 && at_batch) at_batch();
    const auto assignment = test.begin();
    weight += test.client.added().weight;
    if (!assignment) break;
    // The values of all servers are those after the same updates.
    CHECK(std::ranges::count(test.values, -1.0F) == assignment->number * test.job.sum);
    CHECK(std::ranges::count(test.values, 0.0F) + assignment->number * test.job.sum == std::ssize(test.values));
    std::this_thread::sleep_for(milliseconds((assignment->batch + rank) % 3));
    test.client.wait_pushed();
    Counted::fill(test.gradients, assignment->batch);
    test.push(Counted::kInfo);
  }
  if (rank != 0) return;
  const ParameterClient::Cut cut = test.cut();
  CHECK(cut.unapplied.empty());
  CHECK(Counted::wrong(test.state[0], cut) == 0);
  CHECK(weight == static_cast<double>(cut.next_batch));
}

void check_sums(RankContext& context, TestJob job, std::optional<std::int64_t> max_staleness, int copies) {
  job.copies = copies;
  job.max_staleness = max_staleness;
  job.batches = 36;
  run_test_job(context, Counted::job(job), [&](TestClient& test) {
    work(context, test);
    test.client.leave();
  });
}

}  // namespace

TEST_CASE("every batch is applied exactly once, whatever the clients' speeds, the bound and the sums") {
  for_test_jobs([](RankContext& context, TestJob job) {
    for (const int sum : {1, 3}) {
      job.sum = sum;
      check_sums(context, job, std::nullopt, context.communicator.size());
      check_sums(context, job, 2, 1);
    }
  });
}

TEST_CASE("a cut is the state after some update, with the batches that are in it, while others go on") {
  for_test_jobs([](RankContext& context, TestJob job) {
    for (const int sum : {1, 3}) {
      job.sum = sum;
      job.batches = 45;
      run_test_job(context, Counted::job(job), [&](TestClient& test) {
        work(context, test, [&] {
          const ParameterClient::Cut cut = test.cut();
          CHECK(cut.number * sum == cut.next_batch - std::ssize(cut.unapplied));
          CHECK(Counted::wrong(test.state[0], cut) == 0);
        });
        test.client.leave();
      });
    }
  });
}

TEST_CASE("after a stop the gradients that are under way are applied, in a sum that need not be full") {
  for_test_jobs([](RankContext& context, TestJob job) {
    job.sum = 4;
    job.batches = 124;
    // A sum of n gradients is divided by n and the rate is 4, so the last update moves its elements by -4 / n.
    run_test_job(context, Counted::job(job), [&](TestClient& test) {
      const bool chief = context.communicator.rank() == 0;
      int taken = 0;
      while (chief || taken < 15) {
        const auto assignment = test.begin();
        if (!assignment) break;
        test.client.wait_pushed();
        Counted::fill(test.gradients, assignment->batch);
        test.push(Counted::kInfo);
        if (++taken == 3 && chief) test.client.stop();
      }
      if (chief) {
        const ParameterClient::Cut cut = test.cut();
        CHECK(cut.unapplied.empty());
        CHECK(cut.next_batch < 124);
        const auto in_last = static_cast<float>(cut.next_batch - 4 * (cut.number - 1));
        CHECK(in_last >= 1);
        CHECK(in_last <= 4);
        const auto last = std::ranges::count(test.state[0], -4 / in_last);
        CHECK(last == (in_last == 4 ? cut.next_batch : static_cast<std::int64_t>(in_last)));
        CHECK(std::ranges::count(test.state[0], 0.0F) == std::ssize(test.state[0]) - cut.next_batch);
      }
      test.client.leave();
    });
  });
}

// With a bound of 2, client 1 pushes three gradients while the chief computes: the third would make the chief's too
// stale and is held back, and a fourth is pushed into the other mailbox meanwhile.
TEST_CASE("a gradient is pushed while the one before it is not applied yet") {
  constexpr int kChiefHasTaken = 900;
  constexpr int kAllPushed = 901;
  for_test_jobs([](RankContext& context, TestJob job) {
    if (context.communicator.size() - job.servers < 2) return;
    job.max_staleness = 2;
    job.batches = 6;
    run_test_job(context, Counted::job(job), [&](TestClient& test) {
      const int rank = context.communicator.rank();
      const auto tell = [&](int to, int tag) {
        const auto started = test.messages.send(to, tag, {});
        while (!test.messages.done(started)) std::this_thread::sleep_for(milliseconds(1));
      };
      const auto wait_for = [&](int from, int tag) {
        while (!test.messages.arrived_from(from, tag)) std::this_thread::sleep_for(milliseconds(1));
        const auto started = test.messages.receive(from, tag, {});
        while (!test.messages.done(started)) std::this_thread::sleep_for(milliseconds(1));
      };
      std::vector<float> other(test.gradients.size());
      if (rank == 0) {
        REQUIRE(test.begin());
        tell(1, kChiefHasTaken);
        wait_for(1, kAllPushed);
        Counted::fill(test.gradients, 0);
        test.push(Counted::kInfo);
      } else if (rank == 1) {
        wait_for(0, kChiefHasTaken);
        for (const std::int64_t batch : {1, 2, 3, 4}) {
          const auto assignment = test.begin();
          REQUIRE(assignment);
          CHECK(assignment->batch == batch);
          // The fourth is handed out only when the first two are added, since the third cannot be.
          CHECK(assignment->number <= std::min<std::int64_t>(batch - 1, 2));
          if (batch == 4) CHECK(assignment->number == 2);
          if (batch == 3) test.client.wait_pushed();
          std::vector<float>& gradients = batch % 2 == 0 ? other : test.gradients;
          Counted::fill(gradients, batch);
          test.push(gradients, Counted::kInfo);
        }
        tell(0, kAllPushed);
      }
      if (rank < 2) work(context, test);
      test.client.leave();
    });
  });
}

}  // namespace lockstep
