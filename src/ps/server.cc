#include "ps/server.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "ps/rest.h"
#include "tensor/host_bytes.h"

namespace lockstep {

using Kind = PsMessage::Kind;

namespace {

// Calls use with each value that next returns, until it returns none. Returns whether there was one.
template <class Next, class Use>
bool for_all(const Next& next, const Use& use) {
  for (bool any = false;; any = true) {
    const auto value = next();
    if (!value) return any;
    use(*value);
  }
}

}  // namespace

ParameterServer::ParameterServer(PsMessages& messages, ServerTransfer& transfer, ServerState& state,
                                 const PsGroup& group, int server, FirstServer* first,
                                 std::function<void()> while_waiting, PsPatience patience, PsStopSignal stop_signal)
    : messages_(messages),
      transfer_(transfer),
      state_(state),
      group_(group),
      server_(server),
      first_(first),
      while_waiting_(std::move(while_waiting)),
      patience_(std::move(patience)),
      stop_signal_(std::move(stop_signal)),
      lost_(static_cast<std::size_t>(group.clients), false) {
  LS_CHECK((server == 0) == (first != nullptr), "server 0 is the first server");
}

void ParameterServer::run() {
  take_first_state();
  since_begin_.restart();
  RestBetweenPolls rest(while_waiting_);
  while (true) {
    const Stopwatch pass;
    transfer_.progress();
    look_for_lost();
    bool busy = take_messages();
    busy = take_transfers() || busy;
    busy = obey_stream() || busy;
    const bool all_sent = messages_.sent();
    if (ended_ && all_sent && !transfer_.moving() && !state_.readers().being_read()) return;
    if (busy) {
      account_.busy += pass.seconds();
      rest.over();
    } else {
      look_at_clients();
      rest.pause(!all_sent || transfer_.moving());
    }
  }
}

// The chief's first message is taken alone; what it sends after that waits for the state. The others' messages are
// taken meanwhile: they ask whether this server lives.
void ParameterServer::take_first_state() {
  RestBetweenPolls rest(while_waiting_);
  const auto wait = [&](bool moving) {
    for (int client = 1; client < group_.clients; ++client) {
      for_all([&] { return messages_.receive_from(client, kToServer); },
              [&](const PsMessage& early) {
                from_client({client, early});
              });
    }
    messages_.sent();
    look_for_lost();
    look_at_clients();
    rest.pause(moving);
  };
  std::optional<PsMessage> message;
  while (!(message = messages_.receive_from(0, kToServer))) wait(false);
  if (message->kind != Kind::begin) refuse({.from = 0, .message = *message});
  Messages& bulk = messages_.messages();
  for (const Tensor& tensor : state_.tensors()) {
    const auto started = bulk.receive(0, kState, host_bytes(tensor));
    while (!bulk.done(started)) wait(true);
  }
  state_.begin(message->number, message->batch);
}

bool ParameterServer::take_messages() {
  const bool from_clients = for_all([&] { return messages_.receive(kToServer); },
                                    [&](const PsMessages::Received& received) { from_client(received); });
  const bool from_servers = for_all([&] { return messages_.receive(kStream); },
                                    [&](const PsMessages::Received& received) { from_server(received); });
  return from_clients || from_servers;
}

bool ParameterServer::take_transfers() {
  const bool gradients =
      for_all([&] { return transfer_.whole(); }, [&](ServerTransfer::Gradient gradient) { arrived(gradient); });
  const bool reads =
      for_all([&] { return transfer_.read(); }, [&](std::size_t copy) { state_.readers().end_read(copy); });
  return gradients || reads;
}

void ParameterServer::arrived(ServerTransfer::Gradient gradient) {
  account_.bytes += range_bytes();
  const std::optional<int> stop_signal = stop_signal_ ? stop_signal_() : std::nullopt;
  const PsMessage message{.kind = Kind::arrived,
                          .client = gradient.client,
                          .slot = gradient.slot,
                          .count = stop_signal ? 1 : 0,
                          .number = stop_signal.value_or(0)};
  if (first_ == nullptr) {
    messages_.send(group_.rank_of(0), kStream, message);
  } else {
    from_server({.from = group_.rank_of(0), .message = message});
  }
}

bool ParameterServer::obey_stream() {
  if (first_ != nullptr) {
    for_all([&] { return first_->next(); }, [&](const PsMessage& command) { stream_.push_back(command); });
  }
  bool any = false;
  while (!stream_.empty() && obey(stream_.front())) {
    stream_.pop_front();
    any = true;
  }
  return any;
}

void ParameterServer::from_client(const PsMessages::Received& received) {
  const PsMessage& message = received.message;
  if (received.from >= group_.clients || message.client != received.from) refuse(received);
  if (lost_.at(static_cast<std::size_t>(message.client))) return;
  if (message.kind == Kind::pushed) {
    if (message.slot != 0 && message.slot != 1) refuse(received);
    if (first_ != nullptr) first_->pushed(message);
    transfer_.pushed({.client = message.client, .slot = message.slot});
  } else if (message.kind == Kind::gotten) {
    transfer_.gotten(message.client, static_cast<std::size_t>(message.slot));
  } else if (message.kind == Kind::account && message.client == kChiefClient) {
    send_account();
  } else if (message.kind == Kind::ping) {
    messages_.send(message.client, kAlive, {.kind = Kind::pong, .client = message.client});
  } else if (first_ != nullptr) {
    first_->request(message);
  } else {
    refuse(received);
  }
}

void ParameterServer::from_server(const PsMessages::Received& received) {
  if (first_ == nullptr) {
    if (received.from != group_.rank_of(0)) refuse(received);
    if (received.message.kind == Kind::lost) return forget(received.message.client);
    stream_.push_back(received.message);
  } else {
    const PsMessage& message = received.message;
    if (received.from < group_.rank_of(0) || message.kind != Kind::arrived) refuse(received);
    if (message.count != 0) {
      first_->asked_to_stop({.rank = received.from, .signal = static_cast<int>(message.number)});
    }
    first_->arrived(message.client, message.slot);
  }
}

bool ParameterServer::obey(const PsMessage& command) {
  switch (command.kind) {
    case Kind::deliver:
      deliver(command);
      break;
    case Kind::add:
      state_.add(transfer_.mailbox(command.client, command.slot), command.factor, command.weight);
      break;
    case Kind::update:
      if (!state_.readers().may_update()) return false;
      state_.update(command.number, command.factor);
      break;
    case Kind::save:
      save(command.client);
      break;
    case Kind::end:
      ended_ = true;
      break;
    default:
      refuse({.from = group_.rank_of(0), .message = command});
  }
  return true;
}

void ParameterServer::deliver(const PsMessage& command) {
  if (lost_.at(static_cast<std::size_t>(command.client))) return;
  const std::size_t copy = state_.readers().begin_read();
  transfer_.give(command.client, copy);
  account_.bytes += range_bytes();
  messages_.send(command.client, kToClient,
                 {.kind = Kind::ready,
                  .client = command.client,
                  .slot = static_cast<std::int32_t>(copy),
                  .number = command.number});
}

// Sends copies, so that later updates do not wait for the client.
void ParameterServer::save(int client) {
  for (const Tensor& tensor : state_.tensors()) {
    messages_.send(client, kState, host_bytes(tensor));
  }
}

void ParameterServer::send_account() {
  if (first_ != nullptr) first_->send_counts();
  messages_.send(kChiefClient, kAccount,
                 {.kind = Kind::account,
                  .client = kChiefClient,
                  .number = account_.bytes,
                  .factor = account_.busy,
                  .weight = since_begin_.seconds()});
}

void ParameterServer::look_for_lost() {
  constexpr std::chrono::milliseconds kInterval{200};
  const auto now = std::chrono::steady_clock::now();
  if (first_ == nullptr || !patience_.has_ended || now - looked_for_lost_ < kInterval) return;
  looked_for_lost_ = now;
  for (int client = 1; client < group_.clients; ++client) {  // without the chief no job goes on
    if (lost_[static_cast<std::size_t>(client)] || !patience_.has_ended(client)) continue;
    const auto again = first_->lose(client);
    forget(client);
    if (again && patience_.when_lost) patience_.when_lost(client, *again);
  }
}

// At once, not in the order of the stream: a command before it may wait for the client to have read its values.
void ParameterServer::forget(int client) {
  lost_.at(static_cast<std::size_t>(client)) = true;
  for (const std::size_t copy : transfer_.forget(client)) state_.readers().end_read(copy);
  messages_.forget(client);
}

void ParameterServer::look_at_clients() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < std::chrono::seconds(1)) return;
  looked_ = now;
  patience_.note_progress();
  if (patience_.limit.count() == 0) return;
  if (first_ != nullptr) first_->look_at_clients(patience_);
  waits_ = stream_.empty() ? 0 : waits_ + 1;
  if (waits_ <= patience_.limit.count()) return;
  throw Error(ExitCode::internal,
              fmt::format("{}, parameter server {}, could make no update for {} s, because ranks that have begun to "
                          "read its values have not ended: one is stopped, or its host or the network is down",
                          patience_.who(group_.rank_of(server_)), server_, patience_.limit.count()));
}

void ParameterServer::refuse(const PsMessages::Received& received) const {
  const PsMessage& message = received.message;
  throw Error(ExitCode::internal,
              fmt::format("server {} (rank {}) received what it does not expect from rank {}: kind {}, client {}, slot "
                          "{}, number {}",
                          server_, group_.rank_of(server_), received.from, static_cast<int>(message.kind),
                          message.client, message.slot, message.number));
}

}  // namespace lockstep
