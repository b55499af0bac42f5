// Clients that add their updates to the servers' values by themselves: no update is lost, and cuts are of whole
// updates.
#include "ps/added_transfer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "ps/test_job.h"

namespace lockstep {
namespace {

// Calls body with jobs of 1, 2 and 3 servers, in which each update moves every trained element by a whole number, so
// that sums are exact in any order, and the number of updates in a value can be read off it.
void for_added_jobs(const std::function<void(RankContext&, TestJob)>& body) {
  for_rank_contexts([&](RankContext& context) {
    for (int servers = 1; servers <= std::min(3, context.communicator.size() - 1); ++servers) {
      TestJob job{.servers = servers, .batches = 40, .adds = true, .optimizer = make_sgd(HParams())};
      job.learning_rate = [](std::int64_t /*update*/) { return 2.0; };
      job.start = [](std::int64_t i) { return static_cast<float>(i % 11 - 5); };
      body(context, job);
    }
  });
}

constexpr ParameterClient::PushInfo kHalf{.factor = 0.5, .weight = 3, .loss = 2, .norm = 1};

std::int64_t move_of(std::int64_t element) { return 1 + element % 3; }

// Gradients that move element i by -move_of(i), if it is trained.
std::vector<float> moving_gradients() {
  std::vector<float> gradients(static_cast<std::size_t>(test_job_table().padded_count()));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    gradients[i] = static_cast<float>(move_of(static_cast<std::int64_t>(i)));
  }
  return gradients;
}

// The number of values that are not those after `least` to `most` updates, or that have changed and are not trained.
int wrong_values(const TestJob& job, const std::vector<float>& values, std::int64_t least, std::int64_t most) {
  std::vector<float> start = first_state_of(job).front();
  int wrong = 0;
  for (const std::int64_t element : trained_elements(test_job_table())) {
    const auto i = static_cast<std::size_t>(element);
    const float updates = (start[i] - values[i]) / static_cast<float>(move_of(element));
    const bool is_whole = updates == std::floor(updates);
    if (!is_whole || updates < static_cast<float>(least) || updates > static_cast<float>(most)) ++wrong;
    start[i] = values[i];
  }
  return wrong + (start == values ? 0 : 1);
}

// Works on batches, with pauses of any length. at_batch: called on the chief before it takes a batch.
void work_with_pauses(TestClient& test, const std::function<void()>& at_batch = {}) {
  const int rank = test.messages.rank();
  std::mt19937 random(static_cast<unsigned>(rank));
  const auto pause = [&random] { std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000)); };
  std::ranges::copy(moving_gradients(), test.gradients.begin());
  while (true) {
    if (rank == 0 && at_batch) at_batch();
    const auto assignment = test.begin();
    if (!assignment) break;
    CHECK(wrong_values(test.job, test.values, assignment->number, test.job.batches) == 0);
    pause();
    test.push(kHalf);
    pause();
  }
}

void check_cut(TestClient& test) {
  const ParameterClient::Cut cut = test.cut();
  CHECK(cut.unapplied.empty());
  CHECK(cut.number == cut.next_batch);
  CHECK(wrong_values(test.job, test.state.front(), cut.number, cut.number) == 0);
}

}  // namespace

TEST_CASE("no update is lost that clients add to the values, whatever their speeds") {
  for_added_jobs([](RankContext& context, const TestJob& job) {
    run_test_job(context, job, [](TestClient& test) {
      work_with_pauses(test);
      if (test.messages.rank() == 0) {
        const ParameterClient::Cut cut = test.cut();
        CHECK(cut.number == test.job.batches);
        CHECK(wrong_values(test.job, test.state.front(), test.job.batches, test.job.batches) == 0);
      }
      test.client.leave();
    });
  });
}

TEST_CASE("a cut has the same added updates on all servers, and counts them") {
  for_added_jobs([](RankContext& context, const TestJob& job) {
    run_test_job(context, job, [](TestClient& test) {
      work_with_pauses(test, [&test] { check_cut(test); });
      if (test.messages.rank() == 0) check_cut(test);
      test.client.leave();
    });
  });
}

TEST_CASE("after a stop the cut has all updates that clients have added") {
  for_added_jobs([](RankContext& context, const TestJob& job) {
    run_test_job(context, job, [](TestClient& test) {
      int taken = 0;
      work_with_pauses(test, [&] {
        if (++taken == 3) test.client.stop();
      });
      if (test.messages.rank() == 0) check_cut(test);
      test.client.leave();
    });
  });
}

TEST_CASE("a gradient of weight 0 adds nothing and counts, whatever its numbers are") {
  for_added_jobs([](RankContext& context, TestJob job) {
    job.batches = 6;
    run_test_job(context, job, [](TestClient& test) {
      std::ranges::fill(test.gradients, std::numeric_limits<float>::quiet_NaN());
      while (test.begin()) test.push({});
      if (test.messages.rank() == 0) {
        CHECK(test.cut().number == 6);
        CHECK(test.state == first_state_of(test.job));
      }
      test.client.leave();
    });
  });
}

// The optimizer may round once where rate, gradient and value are combined; here the product is rounded first. With
// several servers an update may be counted only after the next batch was handed out, with the rate of this one.
TEST_CASE("one client alone makes the updates of sgd, but for the rounding of a product") {
  for_added_jobs([](RankContext& context, TestJob job) {
    if (context.communicator.size() - job.servers != 1) return;
    const auto rate_of = [](std::int64_t update) { return 1.0 / static_cast<double>(8 + update); };
    job.learning_rate = rate_of;
    run_test_job(context, job, [&rate_of](TestClient& test) {
      std::vector<float> expected = first_state_of(test.job).front();
      while (const auto assignment = test.begin()) {
        CHECK(test.values == expected);
        const auto rate = static_cast<float>(rate_of(assignment->number + 1));
        for (const std::int64_t element : trained_elements(test.table)) {
          const auto i = static_cast<std::size_t>(element);
          test.gradients[i] = test.values[i] + 1.0F / static_cast<float>(1 + element % 53);
          const float update = rate * (0.5F * test.gradients[i]);
          expected[i] -= update;
        }
        test.push(kHalf);
      }
      test.cut();
      CHECK(test.state.front() == expected);
      test.client.leave();
    });
  });
}

}  // namespace lockstep
