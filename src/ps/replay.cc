#include "ps/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/printable.h"

namespace lockstep {
namespace {

bool is_deliver(const PsMessage& command) { return command.kind == PsMessage::Kind::deliver; }

SequencerOptions without_bound(SequencerOptions options) {
  options.max_staleness.reset();
  return options;
}

template <class T>
void require_same(const RecordedUpdates& log, const char* what, const T& recorded, const T& now) {
  if (recorded == now) return;
  throw Error(ExitCode::configuration,
              fmt::format("{} cannot be replayed: its {} is {}, that of this run is {}; start the run as that one was",
                          in_quotes(log.path), what, recorded, now),
              Scope::every_rank);
}

// The ledger of the run, which ends where the log does.
BatchLedger checked_ledger(const UpdateLogHeader& run, BatchLedger ledger, const RecordedUpdates& log) {
  Replay::check(run, ledger, log);
  ledger.limit(std::ranges::count_if(log.commands, is_deliver));
  return ledger;
}

}  // namespace

void Replay::check(const UpdateLogHeader& run, const BatchLedger& ledger, const RecordedUpdates& log) {
  require_same(log, "number of clients", log.header.options.clients, run.options.clients);
  require_same(log, "number of gradients in an update", log.header.options.sum, run.options.sum);
  require_same(log, "first update", log.header.options.first_update, run.options.first_update);
  require_same(log, "last update", log.header.options.last_update, run.options.last_update);
  require_same(log, "seed", log.header.seed, run.seed);
  require_same(log, "digest of the batches", log.header.batches, run.batches);
  BatchLedger expected = ledger;
  for (const PsMessage& command : log.commands) {
    if (!is_deliver(command)) continue;
    const std::int64_t batch = expected.left() > 0 ? expected.take() : -1;
    if (batch == command.batch) continue;
    throw Error(ExitCode::bad_data,
                fmt::format("{} cannot be replayed: it hands out batch {}, where this run's next is {}",
                            in_quotes(log.path), command.batch, batch < 0 ? "none" : std::to_string(batch)),
                Scope::every_rank);
  }
}

Replay::Replay(const UpdateLogHeader& run, BatchLedger ledger, RecordedUpdates log)
    : CommandStream(without_bound(run.options), checked_ledger(run, std::move(ledger), log)),
      path_(std::move(log.path)),
      commands_(std::move(log.commands)) {
  std::erase_if(commands_, [](const PsMessage& command) { return command.kind == PsMessage::Kind::update; });
}

std::optional<int> Replay::client_to_serve() {
  if (at_ == commands_.size() || !is_deliver(commands_[at_])) return {};
  const int client = commands_[at_].client;
  if (!is_here(client)) refuse(fmt::format("client {} has left before batch {}", client, commands_[at_].batch));
  if (!may_have(client)) return {};
  ++at_;
  return client;
}

std::optional<CommandStream::Pull> Replay::gradient_to_add() {
  skip();
  if (at_ == commands_.size() || is_deliver(commands_[at_])) return {};
  const PsMessage& recorded = commands_[at_];
  const auto pull = std::ranges::find(whole(), recorded.batch, &Pull::batch);
  if (pull == whole().end()) return {};
  if (pull->client != recorded.client || pull->pushed.weight != recorded.weight) {
    refuse(fmt::format("batch {} came from client {} with a weight of {}, in the log from client {} with {}",
                       recorded.batch, pull->client, pull->pushed.weight, recorded.client, recorded.weight));
  }
  ++at_;
  return *pull;
}

// After a stop, goes past the batches that are not handed out, and past their gradients.
void Replay::skip() {
  if (!stopped()) return;
  for (; at_ < commands_.size(); ++at_) {
    const PsMessage& command = commands_[at_];
    if (is_deliver(command)) {
      skipped_.insert(command.batch);
    } else if (!skipped_.contains(command.batch)) {
      return;
    }
  }
}

void Replay::refuse(const std::string& why) const {
  throw Error(ExitCode::bad_data, fmt::format("the replay of {} cannot go on: {}", in_quotes(path_), why));
}

}  // namespace lockstep
