#include "ps/command_stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ps/coordinator.h"
#include "ps/read_update_log.h"
#include "ps/replay.h"
#include "ps/simulated_clients.h"
#include "ps/update_log.h"

using namespace lockstep;
using Kind = PsMessage::Kind;

namespace {

// Checks a stream of commands as it comes, with books of its own.
class StreamCheck {
 public:
  StreamCheck(const SequencerOptions& options, std::int64_t first_batch)
      : options_(options), updates_(options.first_update), next_(first_batch) {}

  void see(const Sequencer& sequencer, const PsMessage& command) {
    REQUIRE_FALSE(ended_);
    if (command.kind == Kind::deliver) deliver(command);
    if (command.kind == Kind::add) add(command);
    if (command.kind == Kind::update) update(command);
    if (command.kind == Kind::save) save(sequencer, command);
    if (command.kind == Kind::finished) hear(command);
    if (command.kind == Kind::end) ended_ = true;
    REQUIRE(sequencer.updates() == updates_);
  }

  const std::set<std::int64_t>& applied() const { return applied_; }
  const std::vector<std::int64_t>& staleness() const { return staleness_; }
  std::int64_t updates() const { return updates_; }
  std::int64_t gradients_heard_of() const { return heard_; }

 private:
  void deliver(const PsMessage& command) {
    REQUIRE(command.number == updates_);
    if (command.batch >= next_) REQUIRE(command.batch == next_++);
    REQUIRE(versions_.emplace(std::pair(command.client, command.batch), updates_).second);
    hear(command);
  }
  void add(const PsMessage& command) {
    const auto version = versions_.find({command.client, command.batch});
    REQUIRE(version != versions_.end());
    sum_.emplace_back(command.batch, version->second);
    versions_.erase(version);
    ++added_;
  }
  void update(const PsMessage& command) {
    REQUIRE(command.count == std::ssize(sum_));
    REQUIRE_FALSE(short_);
    short_ = command.count < options_.sum;
    for (const auto& [batch, version] : sum_) {
      const std::int64_t stale = updates_ - version;
      if (options_.max_staleness) REQUIRE(stale <= *options_.max_staleness);
      staleness_.resize(std::max(staleness_.size(), static_cast<std::size_t>(stale) + 1), 0);
      ++staleness_[static_cast<std::size_t>(stale)];
      REQUIRE(applied_.insert(batch).second);
    }
    sum_.clear();
    REQUIRE(command.number == ++updates_);
  }
  void save(const Sequencer& sequencer, const PsMessage& command) const {
    REQUIRE(command.number == updates_);
    if (options_.quiet_cuts) REQUIRE(versions_.empty());
    REQUIRE(sequencer.next_batch() == next_);
    for (const std::int64_t batch : sequencer.unapplied()) REQUIRE_FALSE(applied_.contains(batch));
    REQUIRE(std::ssize(sequencer.unapplied()) + std::ssize(applied_) == next_);
  }
  void hear(const PsMessage& command) {
    heard_ += command.count;
    if (command.client == 0) REQUIRE(heard_ == added_);
    if (command.client != 0) REQUIRE(command.count == 0);
  }

  SequencerOptions options_;
  std::int64_t updates_;
  std::int64_t next_;
  std::map<std::pair<int, std::int64_t>, std::int64_t> versions_;  // of each pull (client, batch) that is not added
  std::vector<std::pair<std::int64_t, std::int64_t>> sum_;         // batch and version
  std::set<std::int64_t> applied_;
  std::vector<std::int64_t> staleness_;
  std::int64_t added_ = 0;
  std::int64_t heard_ = 0;
  bool short_ = false;
  bool ended_ = false;
};

struct Case {
  SequencerOptions options;
  bool stops = false;
  bool loses = false;
};

Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<std::optional<std::int64_t>> bounds{{}, 0, 1, 2, 4, 8};
  Case one;
  one.options.clients = static_cast<int>(1 + random() % 9);
  one.options.max_staleness = bounds[random() % bounds.size()];
  one.options.sum = static_cast<int>(1 + random() % 5);
  one.options.last_update = static_cast<std::int64_t>(1 + random() % 30);
  one.stops = random() % 4 == 0;
  one.loses = random() % 4 == 0;
  one.options.quiet_cuts = !one.loses && random() % 4 == 0;
  return one;
}

std::int64_t batches_of(const SequencerOptions& options) { return options.sum * options.last_update; }

// Runs a Coordinator of the case to its end, checks its stream, and returns the update log.
std::string coordinated(const Case& one, std::uint64_t seed) {
  std::string log;
  UpdateLog writer({.options = one.options, .servers = 2, .batches = "all"},
                   [&](std::string_view line) { log += line; });
  Coordinator coordinator(one.options, BatchLedger(0, batches_of(one.options)));
  StreamCheck check(one.options, 0);
  SimulatedClients clients(coordinator, one.options.clients, seed);
  clients.at_command = [&](const PsMessage& command) {
    check.see(coordinator, command);
    writer.record(command);
  };
  std::mt19937_64 random(seed + 1000);
  bool stopped = false;
  clients.before_event = [&] {
    if (one.stops && random() % 100 == 0) {
      coordinator.stop();
      stopped = true;
    }
    const int lost = 1 + static_cast<int>(random() % 9);
    if (!one.loses || lost >= one.options.clients || clients.is_gone(lost) || random() % 20 != 0) return;
    coordinator.lose(lost);
    clients.lose(lost);
  };
  REQUIRE(clients.run());
  if (!stopped) {
    CHECK(std::ssize(check.applied()) == batches_of(one.options));
    CHECK(check.updates() == one.options.last_update);
  }
  CHECK(std::ssize(check.applied()) + std::ssize(coordinator.unapplied()) == coordinator.next_batch());
  CHECK(check.gradients_heard_of() == std::ssize(check.applied()));
  CHECK(coordinator.staleness() == check.staleness());
  CHECK(std::accumulate(coordinator.batches().begin(), coordinator.batches().end(), std::int64_t{0}) ==
        std::ssize(check.applied()));
  return log;
}

}  // namespace

TEST_CASE("any run applies each batch once, keeps the bound and ends") {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    coordinated(random_case(seed), seed);
  }
}

TEST_CASE("a replay of any run gives the same commands in the same order") {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Case one = random_case(seed);
    one.loses = false;
    const std::string text = coordinated(one, seed);
    const RecordedUpdates log = read_update_log(text, "log");
    std::string again;
    UpdateLog writer(log.header, [&](std::string_view line) { again += line; });
    Replay replay(log.header, BatchLedger(0, batches_of(one.options)), log);
    StreamCheck check(log.header.options, 0);
    SimulatedClients clients(replay, one.options.clients, seed + 77);  // other clients are fast, and cut
    clients.at_command = [&](const PsMessage& command) {
      check.see(replay, command);
      writer.record(command);
    };
    REQUIRE(clients.run());
    REQUIRE(again == text);
    CHECK(replay.staleness() == check.staleness());
  }
}

TEST_CASE("a replay that is stopped applies what was handed out, and ends") {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Case one = random_case(seed);
    one.loses = false;
    const RecordedUpdates log = read_update_log(coordinated(one, seed), "log");
    Replay replay(log.header, BatchLedger(0, batches_of(one.options)), log);
    StreamCheck check({.clients = one.options.clients, .sum = one.options.sum}, 0);
    SimulatedClients clients(replay, one.options.clients, seed + 77);
    clients.at_command = [&](const PsMessage& command) { check.see(replay, command); };
    std::mt19937_64 random(seed);
    clients.before_event = [&] {
      if (random() % 50 == 0) replay.stop();
    };
    REQUIRE(clients.run());
    CHECK(replay.unapplied().empty());
    CHECK(std::ssize(check.applied()) == replay.next_batch());
  }
}
