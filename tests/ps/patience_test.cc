// Ranks that wait for one that does not answer.
#include "ps/patience.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>

#include "collective/messages.h"
#include "ps/message_transfer.h"
#include "ps/test_job.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

// Runs body in a world of threads, of which one rank ends with an error that has all these parts.
void check_ends(int ranks, std::initializer_list<std::string> parts, const std::function<void(RankContext&)>& body) {
  const auto run = [&] { for_thread_ranks(ranks, body); };
  check_error(ExitCode::internal, parts, run);
}

TEST_CASE("a client that waits for a server which does not answer says which it is") {
  check_ends(3, {"rank 2 on c, parameter server 1, has not answered to rank 0 on a for 1 s", "--hang_timeout"},
             [](RankContext& context) {
               const auto messages = make_messages(context);
               const PsGroup group{.clients = 1, .ranges = {{0, 16}, {16, 32}}};
               PsMessages ps_messages(*messages);
               const int rank = messages->rank();
               if (rank == 0) {
                 MessageClientTransfer transfer(ps_messages, group);
                 ParameterClient client(ps_messages, transfer, group, {},
                                        {.limit = std::chrono::seconds(1), .hosts = {"a", "b", "c"}});
                 client.take();
               }
               while (true) {  // until the client has ended
                 const auto message = rank == 1 ? ps_messages.receive(kToServer) : std::nullopt;
                 if (message && message->message.kind == PsMessage::Kind::ping) {
                   ps_messages.send(0, kAlive, {.kind = PsMessage::Kind::pong});
                 }
                 ps_messages.sent();
                 messages->arrived(kStream);
                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
               }
             });
}

// Two clients of which one keeps its batch while the other, which is later, wants one.
void keep_a_batch(RankContext& context, int keeper) {
  TestJob job{.max_staleness = 0, .optimizer = make_sgd(HParams())};
  job.patience = {.limit = std::chrono::seconds(1), .hosts = {"a", "b", "c"}};
  run_test_job(context, job, [keeper](TestClient& test) {
    if (test.messages.rank() != keeper) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    test.begin();
    while (test.messages.rank() == keeper) {  // until the server has ended
      test.messages.arrived(kStream);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

TEST_CASE("a client that holds others up is named by the first server") {
  check_ends(3, {"rank 1 on b has not ended its step for 1 s, and rank 0 on a waits for it"},
             [](RankContext& context) { keep_a_batch(context, 1); });
  check_ends(3, {"rank 0 on a, the chief, has not ended its step for 1 s, and nobody else saves"},
             [](RankContext& context) { keep_a_batch(context, 0); });
}

TEST_CASE("a client that a cut waits for is named by the first server") {
  check_ends(3, {"rank 1 on b has not ended its step for 1 s, and rank 0 on a waits for it"}, [](RankContext& context) {
    TestJob job{.adds = true, .optimizer = make_sgd(HParams())};
    job.patience = {.limit = std::chrono::seconds(1), .hosts = {"a", "b", "c"}};
    run_test_job(context, job, [](TestClient& test) {
      if (test.messages.rank() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        test.cut();
      }
      test.begin();
      while (true) {  // until the server has ended
        test.messages.arrived(kStream);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  });
}

TEST_CASE("a wait for servers that live may be of any length") {
  for_thread_ranks(3, [](RankContext& context) {
    TestJob job{.max_staleness = 0, .batches = 1, .optimizer = make_sgd(HParams())};
    if (context.communicator.rank() != 2) job.patience = {.limit = std::chrono::seconds(3)};
    run_test_job(context, job, [](TestClient& test) {
      if (test.messages.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
      while (test.begin()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(4500));  // the other client waits meanwhile
        test.push({.factor = 1, .weight = 1});
        test.client.wait_pushed();
      }
      test.client.leave();
    });
  });
}

}  // namespace
}  // namespace lockstep
