// A server with messages that nobody expects, and with nothing to do.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <chrono>
#include <initializer_list>
#include <string>
#include <thread>

#include "collective/messages.h"
#include "optim/optimizers.h"
#include "ps/message.h"
#include "ps/test_job.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

using Kind = PsMessage::Kind;

std::string kind_text(Kind kind) { return "kind " + std::to_string(static_cast<int>(kind)); }

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Runs one client, which sends this message, and one server, whose error has all these parts.
void check_message_refused(const PsMessage& message, int tag, std::initializer_list<std::string> parts) {
  for_thread_ranks(2, [&](RankContext& context) {
    const TestJob job{.optimizer = make_sgd(HParams())};
    const auto run = [&] {
      run_test_job(context, job, [&](TestClient& test) {
        const auto started = test.messages.send(1, tag, bytes_of(message));
        while (!test.messages.done(started)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        test.client.take();  // ends when the server is gone
      });
    };
    if (context.communicator.rank() == 1) {
      check_error(ExitCode::internal, parts, run);
      throw Error(ExitCode::internal, "the server is gone");
    }
    run();
  });
}

}  // namespace

TEST_CASE("messages that nobody expects are refused") {
  const auto refused = [](const PsMessage& message, int tag, std::initializer_list<std::string> parts) {
    check_error(ExitCode::internal, {"the server is gone"}, [&] { check_message_refused(message, tag, parts); });
  };
  refused({.kind = Kind::want, .client = 1}, kToServer, {"server 0 (rank 1)", "from rank 0", "client 1"});
  refused({.kind = Kind::pushed, .slot = 2}, kToServer, {"from rank 0", "slot 2"});
  refused({.kind = Kind::pushed, .slot = -1}, kToServer, {"from rank 0", "slot -1"});
  refused({.kind = Kind::ready}, kToServer, {kind_text(Kind::ready), "client 0"});
  refused({.kind = Kind::begin}, kToServer, {kind_text(Kind::begin)});
  refused({.kind = Kind::gotten}, kToServer, {"client 0", "copy 0"});
  refused({.kind = Kind::update}, kStream, {"from rank 0", kind_text(Kind::update)});
}

TEST_CASE("a server with nothing to do leaves its processor to others") {
  for_thread_ranks(2, [](RankContext& context) {
    const double before = processor_seconds();
    const TestJob job{.optimizer = make_sgd(HParams())};
    const auto client = [](TestClient& test) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      test.client.leave();
    };
    run_test_job(context, job, client, [&] {
      const double used = processor_seconds() - before;
      MESSAGE("an idle server used " << used << " s of processor time in 1 s");
      CHECK(used < 0.25);
    });
  });
}

}  // namespace lockstep
