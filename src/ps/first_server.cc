#include "ps/first_server.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {

using Kind = PsMessage::Kind;

FirstServer::FirstServer(PsMessages& messages, Sequencer& sequencer, const PsGroup& group)
    : messages_(messages), sequencer_(sequencer), group_(group), pushes_(static_cast<std::size_t>(group.clients)) {}

void FirstServer::request(const PsMessage& message) {
  switch (message.kind) {
    case Kind::want:
      return sequencer_.want(message.client);
    case Kind::cut:
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
  Push& push = pushes_.at(static_cast<std::size_t>(client)).at(static_cast<std::size_t>(slot));
  if (++push.arrived < group_.servers()) return;
  push.arrived = 0;
  sequencer_.arrived(push.message);
}

std::optional<PsMessage> FirstServer::next() {
  while (const std::optional<PsMessage> command = sequencer_.next()) {
    if (command->kind == Kind::finished) {
      messages_.send(command->client, kToClient, *command);
      continue;
    }
    for (int server = 1; server < group_.servers(); ++server) {
      messages_.send(group_.rank_of(server), kStream, *command);
    }
    if (command->kind == Kind::deliver) {
      PsMessage assign = *command;
      assign.kind = Kind::assign;
      messages_.send(command->client, kToClient, assign);
    }
    if (command->kind == Kind::save) answer_cut(*command);
    if (command->kind == Kind::end) {
      for (int client = 0; client < group_.clients; ++client) messages_.send(client, kToClient, *command);
    }
    return command;
  }
  return std::nullopt;
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

}  // namespace lockstep
