#include "ps/coordinator.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "ps/simulated_clients.h"

using namespace lockstep;
using Kind = PsMessage::Kind;
using Batches = std::vector<std::int64_t>;

namespace {

// A Coordinator of a run of `updates` updates from the beginning.
Coordinator coordinator_of(int clients, std::optional<std::int64_t> bound, int sum, std::int64_t updates) {
  return {{.clients = clients, .max_staleness = bound, .sum = sum, .last_update = updates},
          BatchLedger(0, sum * updates)};
}

// Commands without the numbers: "deliver 0 to 1".
std::vector<std::string> names_of(const std::vector<PsMessage>& commands) {
  std::vector<std::string> names;
  for (const PsMessage& command : commands) {
    const std::string batch = std::to_string(command.batch);
    const std::string client = std::to_string(command.client);
    const std::string number = std::to_string(command.number);
    if (command.kind == Kind::deliver) names.push_back("deliver " + batch + " to " + client);
    if (command.kind == Kind::add) names.push_back("add " + batch + " of " + client);
    if (command.kind == Kind::update) names.push_back("update " + number + " of " + std::to_string(command.count));
    if (command.kind == Kind::save) names.push_back("save " + number + " to " + client);
    if (command.kind == Kind::finished) names.push_back("finished " + client);
    if (command.kind == Kind::end) names.emplace_back("end");
  }
  return names;
}
std::vector<std::string> names_now(Sequencer& sequencer) { return names_of(commands_now(sequencer)); }
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("with a bound of 0 three clients go one after the other") {
  Coordinator coordinator = coordinator_of(3, 0, 1, 4);
  for (const int client : {2, 0, 1}) coordinator.want(client);
  CHECK(names_now(coordinator) == Names{"deliver 0 to 2"});
  coordinator.arrived(gradient_of(0, 2, 0));
  CHECK(names_now(coordinator) == Names{"add 0 of 2", "update 1 of 1", "deliver 1 to 0"});
  coordinator.want(2);
  CHECK(names_now(coordinator).empty());
  coordinator.arrived(gradient_of(1, 0, 0));
  CHECK(names_now(coordinator) == Names{"add 1 of 0", "update 2 of 1", "deliver 2 to 1"});
  coordinator.arrived(gradient_of(2, 1, 0));
  CHECK(names_now(coordinator) == Names{"add 2 of 1", "update 3 of 1", "deliver 3 to 2"});
  coordinator.arrived(gradient_of(3, 2, 1));
  CHECK(names_now(coordinator) == Names{"add 3 of 2", "update 4 of 1"});
  CHECK(coordinator.updates() == 4);
  CHECK(coordinator.staleness() == Batches{4});
  CHECK(coordinator.batches() == Batches{1, 1, 2});
  for (const int client : {0, 1, 2}) coordinator.want(client);
  CHECK(names_now(coordinator) == Names{"finished 0", "finished 1", "finished 2"});
  for (const int client : {0, 1, 2}) coordinator.leave(client);
  CHECK(names_now(coordinator) == Names{"end"});
  CHECK(names_now(coordinator).empty());
}

TEST_CASE("without a bound gradients are added in the order in which they became whole") {
  Coordinator coordinator = coordinator_of(3, {}, 1, 3);
  for (const int client : {0, 1, 2}) coordinator.want(client);
  CHECK(names_now(coordinator) == Names{"deliver 0 to 0", "deliver 1 to 1", "deliver 2 to 2"});
  for (const int client : {2, 1, 0}) coordinator.arrived(gradient_of(client, client, 0));
  CHECK(names_now(coordinator) ==
        Names{"add 2 of 2", "update 1 of 1", "add 1 of 1", "update 2 of 1", "add 0 of 0", "update 3 of 1"});
  CHECK(coordinator.staleness() == Batches{1, 1, 1});
}

TEST_CASE("a gradient that would make an older one too stale waits, and the older one passes it") {
  Coordinator coordinator = coordinator_of(2, 1, 1, 9);
  coordinator.want(0);
  coordinator.want(1);
  commands_now(coordinator);
  coordinator.arrived(gradient_of(1, 1, 0));
  coordinator.want(1);
  CHECK(names_now(coordinator) == Names{"add 1 of 1", "update 1 of 1", "deliver 2 to 1"});
  coordinator.arrived(gradient_of(2, 1, 1));
  CHECK(names_now(coordinator).empty());
  coordinator.arrived(gradient_of(0, 0, 0));
  CHECK(names_now(coordinator) == Names{"add 0 of 0", "update 2 of 1", "add 2 of 1", "update 3 of 1"});
  CHECK(coordinator.staleness() == Batches{1, 2});
}

TEST_CASE("a quiet cut waits until no pull is outstanding, and no batch is handed out meanwhile") {
  Coordinator coordinator({.clients = 3, .last_update = 9, .quiet_cuts = true}, BatchLedger(0, 9));
  for (const int client : {0, 1, 2}) coordinator.want(client);
  commands_now(coordinator);
  coordinator.arrived(gradient_of(0, 0, 0));
  coordinator.cut(0);
  CHECK(names_now(coordinator) == Names{"add 0 of 0", "update 1 of 1"});
  coordinator.arrived(gradient_of(2, 2, 0));
  coordinator.want(2);
  CHECK(names_now(coordinator) == Names{"add 2 of 2", "update 2 of 1"});
  coordinator.arrived(gradient_of(1, 1, 0));
  coordinator.want(1);
  CHECK(names_now(coordinator) ==
        Names{"add 1 of 1", "update 3 of 1", "save 3 to 0", "deliver 3 to 2", "deliver 4 to 1"});
  coordinator.cut(0);
  coordinator.stop();
  coordinator.arrived(gradient_of(3, 2, 1));
  CHECK(names_now(coordinator) == Names{"add 3 of 2", "update 4 of 1"});
  coordinator.arrived(gradient_of(4, 1, 1));
  CHECK(names_now(coordinator) == Names{"add 4 of 1", "update 5 of 1", "save 5 to 0"});
}

TEST_CASE("an update sums gradients by their weights, and a stop applies a sum that is not full") {
  Coordinator coordinator = coordinator_of(2, {}, 3, 5);
  std::vector<PsMessage> updates;
  for (std::int64_t batch = 0; batch < 5; ++batch) {
    coordinator.want(1);
    commands_now(coordinator);
    coordinator.arrived(gradient_of(batch, 1, static_cast<int>(batch % 2)));
    for (const PsMessage& command : commands_now(coordinator)) {
      if (command.kind == Kind::update) updates.push_back(command);
    }
  }
  coordinator.want(0);
  CHECK(names_now(coordinator) == Names{"deliver 5 to 0"});
  coordinator.stop();
  coordinator.want(1);
  CHECK(names_now(coordinator).empty());  // the batch of client 0 may still come back
  coordinator.cut(0);
  CHECK(names_now(coordinator) == Names{"save 1 to 0"});
  CHECK(coordinator.unapplied() == Batches{3, 4, 5});  // two in the sum, one handed out
  CHECK(coordinator.next_batch() == 6);
  coordinator.lose(0);
  const std::vector<PsMessage> last = commands_now(coordinator);
  CHECK(names_of(last) == Names{"update 2 of 2", "finished 1"});
  updates.push_back(last.front());
  CHECK(updates[0].factor == 1.0 / (1 + 2 + 3));
  CHECK(updates[1].factor == 1.0 / (1 + 2));
  CHECK(coordinator.unapplied() == Batches{5});
  coordinator.leave(1);
  CHECK(names_now(coordinator) == Names{"end"});
}

TEST_CASE("the last sum is applied as it is when no batch is left") {
  Coordinator coordinator({.clients = 1, .sum = 3, .first_update = 10, .last_update = 12}, BatchLedger(30, 4));
  std::vector<std::string> names;
  for (std::int64_t batch = 30; batch < 34; ++batch) {
    coordinator.want(0);
    commands_now(coordinator);
    coordinator.arrived(gradient_of(batch, 0, static_cast<int>(batch % 2)));
    names = names_now(coordinator);
  }
  CHECK(names == Names{"add 33 of 0", "update 12 of 1"});
}

TEST_CASE("the update of a single gradient has its factor; one of no weight has the factor 0") {
  Coordinator single = coordinator_of(1, {}, 1, 1);
  single.want(0);
  commands_now(single);
  single.arrived(gradient_of(0, 0, 0));
  CHECK(commands_now(single).back().factor == 0.7);

  Coordinator empty = coordinator_of(1, {}, 2, 1);
  for (const int batch : {0, 1}) {
    empty.want(0);
    commands_now(empty);
    PsMessage pushed = gradient_of(batch, 0, batch);
    pushed.weight = 0;
    empty.arrived(pushed);
  }
  CHECK(commands_now(empty).back().factor == 0);
}

TEST_CASE("a client whose two mailboxes are in use is passed over") {
  Coordinator coordinator = coordinator_of(2, {}, 1, 9);
  coordinator.want(0);
  commands_now(coordinator);
  coordinator.want(0);
  CHECK(names_now(coordinator) == Names{"deliver 1 to 0"});
  coordinator.want(0);
  coordinator.want(1);
  CHECK(names_now(coordinator) == Names{"deliver 2 to 1"});
  coordinator.arrived(gradient_of(0, 0, 0));
  CHECK(names_now(coordinator) == Names{"add 0 of 0", "update 1 of 1", "deliver 3 to 0"});
}

TEST_CASE("a lost client's batch is handed out again, and its whole gradient counts") {
  Coordinator coordinator = coordinator_of(2, 2, 1, 3);
  coordinator.want(1);
  commands_now(coordinator);
  coordinator.want(1);
  coordinator.want(0);
  CHECK(names_now(coordinator) == Names{"deliver 1 to 1", "deliver 2 to 0"});
  coordinator.arrived(gradient_of(0, 1, 0));
  coordinator.lose(1);
  CHECK(names_now(coordinator) == Names{"add 0 of 1", "update 1 of 1"});
  coordinator.arrived(gradient_of(2, 0, 0));
  coordinator.want(0);
  CHECK(names_now(coordinator) == Names{"add 2 of 0", "update 2 of 1", "deliver 1 to 0"});
}

TEST_CASE("the chief hears of the gradients that were added since it heard last") {
  Coordinator coordinator = coordinator_of(2, {}, 1, 4);
  coordinator.want(1);
  commands_now(coordinator);
  coordinator.arrived(gradient_of(0, 1, 0));
  coordinator.want(1);
  commands_now(coordinator);
  coordinator.arrived(gradient_of(1, 1, 1));
  coordinator.want(1);
  const PsMessage to_1 = commands_now(coordinator).back();
  CHECK(to_1.kind == Kind::deliver);
  CHECK(to_1.count == 0);
  coordinator.want(0);
  const PsMessage to_0 = commands_now(coordinator).back();
  CHECK(to_0.kind == Kind::deliver);
  CHECK(to_0.number == 2);
  CHECK(to_0.count == 2);
  CHECK(to_0.loss == 0 + 1);
  CHECK(to_0.weight == 1 + 2);
  CHECK(to_0.norm == 0.5 + 0.5);
  coordinator.arrived(gradient_of(3, 0, 0));
  coordinator.arrived(gradient_of(2, 1, 0));
  coordinator.want(0);
  const PsMessage finished = commands_now(coordinator).back();
  CHECK(finished.kind == Kind::finished);
  CHECK(finished.loss == 2 + 3);
}

TEST_CASE("events that a client cannot cause are internal errors") {
  Coordinator coordinator = coordinator_of(2, {}, 1, 4);
  CHECK_THROWS_AS(coordinator.want(2), Error);
  coordinator.want(0);
  CHECK_THROWS_AS(coordinator.want(0), Error);
  CHECK_THROWS_AS(coordinator.leave(0), Error);
  commands_now(coordinator);
  CHECK_THROWS_AS(coordinator.arrived(gradient_of(1, 0, 0)), Error);
  CHECK_THROWS_AS(coordinator.arrived(gradient_of(0, 1, 0)), Error);
  coordinator.arrived(gradient_of(0, 0, 0));
  CHECK_THROWS_AS(coordinator.arrived(gradient_of(0, 0, 0)), Error);
  coordinator.leave(1);
  CHECK_THROWS_AS(coordinator.leave(1), Error);
  CHECK_THROWS_AS(coordinator.want(1), Error);
  CHECK_THROWS_AS(coordinator.cut(1), Error);
  CHECK_FALSE(coordinator.lose(1));
}

TEST_CASE("a slot is not pushed into before its gradient is added") {
  Coordinator coordinator = coordinator_of(1, {}, 1, 4);
  coordinator.want(0);
  commands_now(coordinator);
  coordinator.want(0);
  commands_now(coordinator);
  coordinator.arrived(gradient_of(0, 0, 0));
  CHECK_THROWS_AS(coordinator.arrived(gradient_of(1, 0, 0)), Error);
  coordinator.arrived(gradient_of(1, 0, 1));
}

TEST_CASE("more batches than the updates take are refused") {
  const Coordinator::Options options{.clients = 1, .sum = 3, .first_update = 5, .last_update = 7};
  CHECK_NOTHROW(Coordinator(options, BatchLedger(0, 6)));
  CHECK_THROWS_AS(Coordinator(options, BatchLedger(0, 7)), Error);
}
