#include "ps/update_log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "ps/batch_ledger.h"
#include "ps/coordinator.h"
#include "ps/logged_sequencer.h"
#include "ps/read_update_log.h"
#include "ps/simulated_clients.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

using namespace lockstep;
using Kind = PsMessage::Kind;

namespace {

const char* const kFirstLine =
    R"({"format":"lockstep update log","version":1,"clients":2,"servers":3,"max_staleness":1,"sum_updates":2,)"
    R"("first_update":4,"last_update":6,"seed":"18446744073709551615","batches":"ab12"})"
    "\n";

// Two updates of two gradients each; the weights are 1 and 2, so that the factor is a third.
const char* const kLines = R"({"deliver":8,"client":0,"updates":4}
{"deliver":9,"client":1,"updates":4}
{"add":9,"client":1,"weight":2.0,"factor":0.5}
{"add":8,"client":0,"weight":1.0,"factor":0.1}
{"update":5,"count":2,"factor":0.3333333333333333}
)";

UpdateLogHeader header_of_first_line() {
  return {.options = {.clients = 2, .max_staleness = 1, .sum = 2, .first_update = 4, .last_update = 6},
          .servers = 3,
          .seed = 18446744073709551615U,
          .batches = "ab12"};
}

// The log with a text in its lines replaced.
std::string with(const std::string& text, const std::string& by) {
  std::string log = std::string(kFirstLine) + kLines;
  const std::size_t at = log.find(text);
  REQUIRE(at != std::string::npos);
  return log.replace(at, text.size(), by);
}

void check_refused(const std::string& log, const std::string& line, const std::string& why) {
  check_error(ExitCode::bad_data, {"'run/updates.jsonl', line " + line + ": ", why},
              [&log] { read_update_log(log, "run/updates.jsonl"); });
}

}  // namespace

TEST_CASE("an update log has a line for the run and one for each deliver, add and update") {
  std::string log;
  UpdateLog writer(header_of_first_line(), [&log](std::string_view line) { log += line; });
  writer.record({.kind = Kind::deliver, .client = 0, .batch = 8, .number = 4});
  writer.record({.kind = Kind::deliver, .client = 1, .batch = 9, .number = 4});
  writer.record({.kind = Kind::save, .client = 0, .number = 4});
  writer.record({.kind = Kind::add, .client = 1, .batch = 9, .factor = 0.5, .weight = 2});
  writer.record({.kind = Kind::add, .client = 0, .batch = 8, .factor = 0.1, .weight = 1});
  writer.record({.kind = Kind::update, .count = 2, .number = 5, .factor = 1.0 / 3});
  writer.record({.kind = Kind::finished});
  writer.record({.kind = Kind::end});
  CHECK(log == std::string(kFirstLine) + kLines);
}

TEST_CASE("an update log is read back as it was written") {
  const RecordedUpdates log = read_update_log(std::string(kFirstLine) + kLines, "log");
  CHECK(log.path == "log");
  CHECK(log.header == header_of_first_line());
  REQUIRE(log.commands.size() == 5);
  CHECK(log.commands[1].kind == Kind::deliver);
  CHECK(log.commands[1].batch == 9);
  CHECK(log.commands[1].client == 1);
  CHECK(log.commands[1].number == 4);
  CHECK(log.commands[3].kind == Kind::add);
  CHECK(log.commands[3].factor == 0.1);
  CHECK(log.commands[3].weight == 1);
  CHECK(log.commands[4].kind == Kind::update);
  CHECK(log.commands[4].number == 5);
  CHECK(log.commands[4].count == 2);
  CHECK(log.commands[4].factor == 1.0 / 3);

  CHECK_FALSE(read_update_log(with(R"("max_staleness":1)", R"("max_staleness":null)"), "log")
                  .header.options.max_staleness.has_value());
  CHECK(read_update_log(kFirstLine, "log").commands.empty());
}

TEST_CASE("a file that is no update log, or of another version, is refused") {
  check_refused("", "1", "this is not an update log");
  check_refused("{\"kind\":\"start\"}\n", "1", "this is not an update log");
  check_refused("[1]\n", "1", "");
  check_refused(with("lockstep update log", "lockstep metrics"), "1", "this is not an update log");
  check_refused(with("\"version\":1", "\"version\":2"), "1", "version 2; this program reads version 1");
  check_refused(with("\"clients\":2", "\"clients\":0"), "1", "clients: expected 1 or more, found 0");
  check_refused(with("\"clients\":2", "\"clients\":5000000000"), "1", "clients: 5000000000 is too large");
  check_refused(with("\"max_staleness\":1", "\"max_staleness\":-1"), "1", "max_staleness: expected 0 or more");
  check_refused(with("\"last_update\":6", "\"last_update\":3"), "1", "last_update: expected 4 or more");
  check_refused(with("\"seed\":\"18446744073709551615\"", "\"seed\":\"18446744073709551616\""), "1",
                "digits of a seed");
  check_refused(with(",\"batches\":\"ab12\"", ""), "1", "expected the members format, version");
}

TEST_CASE("damage is refused with its line") {
  check_refused(with("0.3333333333333333}\n", "0.3333"), "6", "it is cut off");
  check_refused(with("\"deliver\":9", "\"deliver\":9x"), "3", "");
  check_refused(with("\"deliver\":9", "\"delivr\":9"), "3", "expected the members update, count, factor");
  check_refused(with("\"weight\":2.0", "\"weight\":\"2\""), "4", "weight: expected a number");
  check_refused(with("\"client\":1,\"weight\"", "\"weight\""), "4", "expected the members add, client, weight, factor");
  check_refused(with("\"deliver\":8", "\"deliver\":-8"), "2", "deliver: expected 0 or more, found -8");
}

TEST_CASE("commands that no run could have given in this order are refused") {
  check_refused(with("\"client\":1,\"updates\"", "\"client\":2,\"updates\""), "3", "client 2 of 2");
  check_refused(with("\"client\":1,\"updates\":4", "\"client\":1,\"updates\":5"), "3",
                "values after 5 updates, where 4 were made");
  check_refused(with("\"deliver\":9", "\"deliver\":8"), "3", "a run that lost a client cannot be replayed");
  check_refused(with("\"max_staleness\":1", "\"max_staleness\":0"), "4", "does not let it pass an older one");
  check_refused(with("\"add\":9", "\"add\":8"), "4", "batch 8 is not the one that is due from client 1");
  check_refused(with("\"update\":5", "\"update\":6"), "6", "update 6 follows update 4");
  check_refused(with("\"last_update\":6", "\"last_update\":4"), "6", "an update after update 4, the last");
  check_refused(with("\"count\":2", "\"count\":1"), "6", "an update of 1 gradients, where 2 were added");
  check_refused(with("0.3333333333333333", "0.25"), "6", "the factor is 0.25");
  check_refused(with("\"sum_updates\":2", "\"sum_updates\":1"), "5", "an update is due after 1 gradient");
  check_refused(with("\"sum_updates\":2", "\"sum_updates\":3") + "{\"deliver\":10,\"client\":0,\"updates\":5}\n", "7",
                "fewer gradients than sum_updates");
}

TEST_CASE("the log of a run that did not end is refused") {
  const std::string whole = std::string(kFirstLine) + kLines;
  const std::string update = R"({"update":5,"count":2,"factor":0.3333333333333333})";
  const std::string add = R"({"add":8,"client":0,"weight":1.0,"factor":0.1})";
  check_refused(with(update + "\n", ""), "5", "the update of the last 2 gradients is missing");
  check_refused(with(add + "\n" + update + "\n", ""), "4", "the gradient of batch 8 from client 0 is missing");
}

TEST_CASE("a batch that the bound does not admit is refused") {
  const std::string lines = R"({"deliver":10,"client":0,"updates":4})";
  const std::string three = with("{\"add\":9", lines + "\n{\"add\":9");
  check_refused(three.substr(0, three.find("\"max_staleness\":1")) + "\"max_staleness\":0" +
                    three.substr(three.find("\"max_staleness\":1") + std::string("\"max_staleness\":1").size()),
                "4", "max_staleness admits no further batch");
}

TEST_CASE("an add that takes another gradient beyond the bound is refused") {
  const std::string head = with("\"sum_updates\":2", "\"sum_updates\":1").substr(0, std::string(kFirstLine).size());
  const std::string lines = R"({"deliver":8,"client":0,"updates":4}
{"deliver":9,"client":1,"updates":4}
{"add":9,"client":1,"weight":1.0,"factor":1.0}
{"update":5,"count":1,"factor":1.0}
{"deliver":10,"client":1,"updates":5}
{"add":10,"client":1,"weight":1.0,"factor":1.0}
)";
  check_refused(head + lines, "7", "max_staleness does not let it pass an older one");
}

TEST_CASE("a logged sequencer gives the commands of another one, and writes them") {
  const SequencerOptions options{.clients = 3, .max_staleness = 2, .sum = 2, .first_update = 4, .last_update = 11};
  Coordinator coordinator(options, BatchLedger(5, 14));
  std::string text;
  UpdateLog log({.options = options}, [&text](std::string_view line) { text += line; });
  LoggedSequencer logged(coordinator, log);
  SimulatedClients clients(logged, 3, 7);
  std::vector<PsMessage> commands;
  clients.at_command = [&](const PsMessage& command) {
    CHECK(logged.updates() == coordinator.updates());
    CHECK(logged.next_batch() == coordinator.next_batch());
    CHECK(logged.unapplied() == coordinator.unapplied());
    if (command.kind == Kind::deliver || command.kind == Kind::add || command.kind == Kind::update) {
      commands.push_back(command);
    }
  };
  CHECK(clients.run());
  CHECK(&logged.staleness() == &coordinator.staleness());
  CHECK(&logged.batches() == &coordinator.batches());
  const RecordedUpdates read = read_update_log(text, "log");
  CHECK(read.header.options == options);
  CHECK(std::ranges::equal(read.commands, commands, [](const PsMessage& a, const PsMessage& b) {
    return a.kind == b.kind && a.client == b.client && a.batch == b.batch;
  }));
}

TEST_CASE("the first line of an update log is a log without commands") {
  const TemporaryFolder folder;
  const std::string path = folder / "updates.jsonl";
  std::ofstream(path) << kFirstLine << kLines;
  CHECK(first_line_of_update_log(path) == kFirstLine);
  const RecordedUpdates header = read_update_log(first_line_of_update_log(path), path);
  CHECK(header.header == header_of_first_line());
  CHECK(header.commands.empty());
  check_error(ExitCode::missing_input, {"none.jsonl"}, [&] { first_line_of_update_log(folder / "none.jsonl"); });
  std::ofstream(path) << std::string(5000, 'x') << "\n";
  check_error(ExitCode::bad_data, {path, "line 1: this is not an update log"}, [&] { first_line_of_update_log(path); });
}
