// A client whose process ends at any point of a step: the others go on, and every batch is applied exactly once.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "collective/messages.h"
#include "ps/counted.h"
#include "ps/test_job.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr int kVictim = 1;

// The step at which the victim ends, and how much of it it makes.
enum class Ends { idle, wants, has_values_to_read, has_pushed_a_part, has_pushed_all };
constexpr std::array kEnds{Ends::idle, Ends::wants, Ends::has_values_to_read, Ends::has_pushed_a_part,
                           Ends::has_pushed_all};

void wait_until(const std::function<bool()>& done) {
  const Stopwatch watch;
  while (!done()) {
    REQUIRE(watch.seconds() < 30);
    std::this_thread::sleep_for(milliseconds(1));
  }
}

struct LostJob {
  std::atomic<bool> ended = false;
  std::atomic<int> served = 0;  // servers that are done
};

void send(TestClient& test, int to, int tag, std::span<const std::byte> bytes) {
  const auto started = test.messages.send(to, tag, bytes);
  wait_until([&] { return test.messages.done(started); });
}

// The `pushed` of a batch goes to every server, the gradient to the first alone.
void push_a_part(TestClient& test, const PsGroup& group, const ParameterClient::Assignment& assignment) {
  const PsMessage pushed{.kind = PsMessage::Kind::pushed,
                         .client = kVictim,
                         .batch = assignment.batch,
                         .number = assignment.number,
                         .factor = 1,
                         .weight = 1};
  for (int server = 0; server < group.servers(); ++server) {
    send(test, group.rank_of(server), kToServer, bytes_of(pushed));
  }
  if (group.servers() == 1) return;
  const FlatRange range = group.range(0);
  send(test, group.rank_of(0), kGradient,
       std::as_bytes(std::span(test.gradients).first(static_cast<std::size_t>(range.count()))));
}

void end_at(Ends ends, TestClient& test, const PsGroup& group) {
  if (ends == Ends::idle) return;
  if (ends == Ends::wants) {
    return send(test, group.rank_of(0), kToServer, bytes_of({.kind = PsMessage::Kind::want, .client = kVictim}));
  }
  if (ends == Ends::has_values_to_read) {
    test.client.take();
    return;
  }
  const auto assignment = test.begin();
  if (!assignment) return;
  Counted::fill(test.gradients, assignment->batch);
  if (ends == Ends::has_pushed_a_part) return push_a_part(test, group, *assignment);
  test.push(Counted::kInfo);
  test.client.wait_pushed();
}

// Takes batches until there are none, and as the chief checks that each is in the values, and who is lost: the cut may
// come before the loss of a client without a batch is seen.
void work_to_the_end(TestClient& test, bool is_chief, Ends ends) {
  while (const auto assignment = test.begin()) {
    std::this_thread::sleep_for(milliseconds(1));
    test.client.wait_pushed();
    Counted::fill(test.gradients, assignment->batch);
    test.push(Counted::kInfo);
  }
  if (!is_chief) return;
  const ParameterClient::Cut cut = test.cut();
  CHECK(cut.unapplied.empty());
  CHECK(cut.next_batch == test.job.batches);
  CHECK(Counted::wrong(test.state[0], cut) == 0);
  std::vector<std::int64_t> lost(test.client.account().batches.size());
  lost[kVictim] = 1;
  if (ends != Ends::idle && ends != Ends::has_pushed_all) CHECK(test.client.account().lost == lost);
}

void check_loss(int world, int servers, Ends ends, std::optional<std::int64_t> bound, int copies) {
  CAPTURE(world);
  CAPTURE(servers);
  CAPTURE(static_cast<int>(ends));
  LostJob lost;
  for_thread_ranks(world, [&](RankContext& context) {
    TestJob job{.servers = servers, .max_staleness = bound, .batches = 60, .copies = copies};
    job.loses_client = true;
    job.patience.has_ended = [&](int client) { return client == kVictim && lost.ended; };
    job = Counted::job(job);
    run_test_job(
        context, job,
        [&](TestClient& test) {
          const int rank = context.communicator.rank();
          if (rank == kVictim) {
            end_at(ends, test, test_job_group(context, job));
            lost.ended = true;
            wait_until([&] { return lost.served == servers; });  // as memory that others read outlives a process
            return;
          }
          wait_until([&] { return lost.ended.load(); });
          work_to_the_end(test, rank == 0, ends);
          test.client.leave();
        },
        [&] { ++lost.served; });
  });
}

}  // namespace

TEST_CASE("a client that ends at any point of a step loses none of the batches, and holds nobody up") {
  for (const Ends ends : kEnds) {
    check_loss(4, 2, ends, std::nullopt, 3);
    check_loss(5, 2, ends, 1, 1);
    check_loss(3, 1, ends, 0, 2);
  }
}

}  // namespace lockstep
