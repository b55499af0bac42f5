#include "ps/replay.h"

#include <doctest/doctest.h>

#include "ps/simulated_clients.h"
#include "support/check_error.h"

using namespace lockstep;
using Kind = PsMessage::Kind;

namespace {

UpdateLogHeader header_of_two() {
  return {.options = {.clients = 2, .max_staleness = 2, .last_update = 3}, .servers = 2, .seed = 5, .batches = "ab12"};
}

PsMessage delivered(std::int64_t batch, int client) {
  return {.kind = Kind::deliver, .client = client, .batch = batch};
}
PsMessage added(std::int64_t batch, int client) {
  PsMessage command = gradient_of(batch, client, 0);
  command.kind = Kind::add;
  return command;
}

// The log of a run of three batches where client 1, with batch 0, was slower than client 0 with the two others.
RecordedUpdates log_of_slow_client() {
  const PsMessage update{.kind = Kind::update};
  return {.path = "run/updates.jsonl",
          .header = header_of_two(),
          .commands = {delivered(0, 1), delivered(1, 0), added(1, 0), update, delivered(2, 0), added(2, 0), update,
                       added(0, 1), update}};
}

struct Emitted {
  Kind kind;
  int client;
  std::int64_t batch;
  bool operator==(const Emitted&) const = default;
};
std::vector<Emitted> emitted_now(Sequencer& sequencer) {
  std::vector<Emitted> emitted;
  for (const PsMessage& command : commands_now(sequencer)) {
    emitted.push_back({command.kind, command.client, command.batch});
  }
  return emitted;
}
using Stream = std::vector<Emitted>;
constexpr Emitted kUpdate{Kind::update, 0, 0};

}  // namespace

TEST_CASE("a replay waits for whom the log names, whoever is faster now") {
  Replay replay(header_of_two(), BatchLedger(0, 3), log_of_slow_client());
  replay.want(0);
  CHECK(emitted_now(replay).empty());
  replay.want(1);
  CHECK(emitted_now(replay) == Stream{{Kind::deliver, 1, 0}, {Kind::deliver, 0, 1}});
  replay.arrived(gradient_of(0, 1, 0));
  replay.want(1);
  CHECK(emitted_now(replay).empty());
  replay.arrived(gradient_of(1, 0, 0));
  CHECK(emitted_now(replay) == Stream{{Kind::add, 0, 1}, kUpdate});
  replay.want(0);
  CHECK(emitted_now(replay) == Stream{{Kind::deliver, 0, 2}});
  replay.cut(0);
  CHECK(emitted_now(replay) == Stream{{Kind::save, 0, 0}});
  CHECK(replay.unapplied() == std::vector<std::int64_t>{0, 2});
  replay.arrived(gradient_of(2, 0, 1));
  CHECK(emitted_now(replay) == Stream{{Kind::add, 0, 2}, kUpdate, {Kind::add, 1, 0}, kUpdate, {Kind::finished, 1, 0}});
  CHECK(replay.staleness() == std::vector<std::int64_t>{2, 0, 1});
}

TEST_CASE("a replay that is stopped adds what was handed out") {
  Replay replay(header_of_two(), BatchLedger(0, 3), log_of_slow_client());
  replay.want(1);
  CHECK(emitted_now(replay) == Stream{{Kind::deliver, 1, 0}});
  replay.stop();
  replay.want(0);
  replay.arrived(gradient_of(0, 1, 0));
  CHECK(emitted_now(replay) == Stream{{Kind::add, 1, 0}, kUpdate, {Kind::finished, 0, 0}});
  CHECK(replay.next_batch() == 1);
}

TEST_CASE("the log of a run that was stopped ends the replay where it ended") {
  RecordedUpdates log = log_of_slow_client();
  log.commands = {delivered(0, 1), added(0, 1), {.kind = Kind::update}};
  Replay replay(header_of_two(), BatchLedger(0, 3), log);
  replay.want(1);
  CHECK(emitted_now(replay) == Stream{{Kind::deliver, 1, 0}});
  replay.want(0);
  replay.arrived(gradient_of(0, 1, 0));
  CHECK(emitted_now(replay) == Stream{{Kind::add, 1, 0}, kUpdate, {Kind::finished, 0, 0}});
}

TEST_CASE("a run whose updates cannot be those of the log is refused") {
  const auto check_refused = [](const UpdateLogHeader& run, const std::string& why) {
    check_error(ExitCode::configuration, {"'run/updates.jsonl' cannot be replayed: its " + why},
                [&run] { Replay::check(run, BatchLedger(0, 3), log_of_slow_client()); });
  };
  UpdateLogHeader run = header_of_two();
  run.options.clients = 3;
  check_refused(run, "number of clients is 2, that of this run is 3");
  run = header_of_two();
  run.options.sum = 2;
  check_refused(run, "number of gradients in an update is 1, that of this run is 2");
  run = header_of_two();
  run.options.first_update = 1;
  check_refused(run, "first update is 0, that of this run is 1");
  run = header_of_two();
  run.options.last_update = 4;
  check_refused(run, "last update is 3, that of this run is 4");
  run = header_of_two();
  run.seed = 6;
  check_refused(run, "seed is 5, that of this run is 6");
  run = header_of_two();
  run.batches = "cd34";
  check_refused(run, "digest of the batches is ab12, that of this run is cd34");
}

TEST_CASE("a replay may have other servers and another bound") {
  UpdateLogHeader run = header_of_two();
  run.servers = 5;
  run.options.max_staleness = 0;
  CHECK_NOTHROW(Replay(run, BatchLedger(0, 3), log_of_slow_client()));
}

TEST_CASE("a log of other batches is refused") {
  check_error(ExitCode::bad_data, {"hands out batch 0, where this run's next is 5"},
              [] { Replay::check(header_of_two(), BatchLedger(5, 3), log_of_slow_client()); });
  check_error(ExitCode::bad_data, {"hands out batch 2, where this run's next is none"},
              [] { Replay::check(header_of_two(), BatchLedger(0, 2), log_of_slow_client()); });
}

TEST_CASE("a client that does not do as in the log ends the replay") {
  Replay weights(header_of_two(), BatchLedger(0, 3), log_of_slow_client());
  weights.want(0);
  weights.want(1);
  commands_now(weights);
  PsMessage pushed = gradient_of(1, 0, 0);
  pushed.weight = 9;
  weights.arrived(pushed);
  check_error(ExitCode::bad_data, {"batch 1 came from client 0 with a weight of 9, in the log from client 0 with 2"},
              [&weights] { weights.next(); });

  Replay leaves(header_of_two(), BatchLedger(0, 3), log_of_slow_client());
  leaves.leave(1);
  check_error(ExitCode::bad_data, {"client 1 has left before batch 0"}, [&leaves] { leaves.next(); });
}
