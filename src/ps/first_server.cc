#include "ps/first_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace lockstep {

using Kind = PsMessage::Kind;

FirstServer::FirstServer(PsMessages& messages, Sequencer& sequencer, const PsGroup& group)
    : messages_(messages),
      sequencer_(sequencer),
      group_(group),
      pushes_(static_cast<std::size_t>(group.clients)),
      clients_(static_cast<std::size_t>(group.clients)) {}

void FirstServer::request(const PsMessage& message) {
  switch (message.kind) {
    case Kind::want:
      if (message.count != 0) asked_to_stop({.rank = message.client, .signal = static_cast<int>(message.number)});
      clients_.at(static_cast<std::size_t>(message.client)).wants = looks_;
      return sequencer_.want(message.client);
    case Kind::cut:
      clients_.at(static_cast<std::size_t>(message.client)).wants = looks_;
      return sequencer_.cut(message.client);
    case Kind::stop:
      return sequencer_.stop();
    case Kind::leave:
      return sequencer_.leave(message.client);
    default:
      LS_CHECK(false, fmt::format("the first server received a message of kind {} from client {}",
                                  static_cast<int>(message.kind), message.client));
  }
}

void FirstServer::pushed(const PsMessage& message) {
  pushes_.at(static_cast<std::size_t>(message.client)).at(static_cast<std::size_t>(message.slot)).message = message;
}

// The push is known when the last server tells, because one of them is the first server, which reads `pushed` before
// the gradient is whole there.
void FirstServer::arrived(int client, int slot) {
  if (is_lost(client)) return;
  Push& push = pushes_.at(static_cast<std::size_t>(client)).at(static_cast<std::size_t>(slot));
  if (++push.arrived < group_.servers()) return;
  push.arrived = 0;
  Client& from = clients_.at(static_cast<std::size_t>(client));
  if (from.batch == push.message.batch) from.works = {};
  sequencer_.arrived(push.message);
}

void FirstServer::asked_to_stop(const PsStopRequest& request) {
  if (!asked_) asked_ = request;
}

std::optional<std::vector<std::int64_t>> FirstServer::lose(int client) {
  auto again = sequencer_.lose(client);
  if (!again) return again;
  clients_.at(static_cast<std::size_t>(client)) = {};
  for (int server = 1; server < group_.servers(); ++server) {
    messages_.send(group_.rank_of(server), kStream, {.kind = Kind::lost, .client = client});
  }
  return again;
}

void FirstServer::look_at_clients(const PsPatience& patience) {
  ++looks_;
  const auto too_long = [&](std::optional<std::int64_t> since) {
    return since && looks_ - *since > patience.limit.count();
  };
  if (too_long(clients_.front().works)) {
    throw Error(ExitCode::internal,
                fmt::format("{}, the chief, has not ended its step for {} s, and nobody else saves: it is stopped, or "
                            "its host or the network is down; if a step takes that long, give a larger --hang_timeout",
                            patience.who(0), patience.limit.count()));
  }
  const auto waits = std::ranges::find_if(clients_, too_long, &Client::wants);
  const auto works = std::ranges::find_if(clients_, too_long, &Client::works);
  if (waits == clients_.end() || works == clients_.end()) return;
  throw Error(ExitCode::internal,
              fmt::format("{} has not ended its step for {} s, and {} waits for it: it is stopped, or its host or the "
                          "network is down; if a step takes that long, give a larger --hang_timeout",
                          patience.who(static_cast<int>(works - clients_.begin())), patience.limit.count(),
                          patience.who(static_cast<int>(waits - clients_.begin()))));
}

std::optional<PsMessage> FirstServer::next() {
  while (const std::optional<PsMessage> command = sequencer_.next()) {
    note(*command);
    if (command->kind == Kind::finished) {
      messages_.send(command->client, kToClient, *command);
      continue;
    }
    for (int server = 1; server < group_.servers(); ++server) {
      messages_.send(group_.rank_of(server), kStream, *command);
    }
    if (command->kind == Kind::deliver) {
      if (command->client == kChiefClient) tell_of_request();
      PsMessage assign = *command;
      assign.kind = Kind::assign;
      messages_.send(command->client, kToClient, assign);
    }
    if (command->kind == Kind::save) answer_cut(*command);
    if (command->kind == Kind::end) {
      for (int client = 0; client < group_.clients; ++client) {
        if (!is_lost(client)) messages_.send(client, kToClient, *command);
      }
    }
    return command;
  }
  return std::nullopt;
}

// Notes who waits and who works after a command.
void FirstServer::note(const PsMessage& command) {
  if (command.kind != Kind::deliver && command.kind != Kind::finished && command.kind != Kind::save) return;
  Client& client = clients_.at(static_cast<std::size_t>(command.client));
  client.wants = {};
  if (command.kind == Kind::deliver) {
    client.works = looks_;
    client.batch = command.batch;
  }
}

void FirstServer::tell_of_request() {
  if (!asked_ || told_) return;
  told_ = true;
  messages_.send(kChiefClient, kToClient,
                 {.kind = Kind::asked, .client = kChiefClient, .slot = asked_->rank, .number = asked_->signal});
}

void FirstServer::answer_cut(const PsMessage& save) {
  const std::vector<std::int64_t> unapplied = sequencer_.unapplied();
  messages_.send(save.client, kToClient,
                 {.kind = Kind::state,
                  .client = save.client,
                  .count = static_cast<std::int32_t>(unapplied.size()),
                  .batch = sequencer_.next_batch(),
                  .number = save.number});
  if (!unapplied.empty()) messages_.send(save.client, kBatches, std::as_bytes(std::span(unapplied)));
}

void FirstServer::send_counts() {
  std::vector<std::int64_t> counts = sequencer_.batches();
  counts.insert(counts.end(), sequencer_.lost().begin(), sequencer_.lost().end());
  counts.insert(counts.end(), sequencer_.staleness().begin(), sequencer_.staleness().end());
  messages_.send(kChiefClient, kCounts, std::as_bytes(std::span(counts)));
}

}  // namespace lockstep
