#include "ps/client.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/error.h"
#include "ps/rest.h"
#include "tensor/host_bytes.h"

namespace lockstep {

using Kind = PsMessage::Kind;

namespace {

[[noreturn]] void unexpected_answer(int client, int server, const PsMessage& message) {
  throw Error(ExitCode::internal,
              fmt::format("client {} received what it does not expect from server {}: kind {}, client {}, number {}",
                          client, server, static_cast<int>(message.kind), message.client, message.number));
}

}  // namespace

ParameterClient::ParameterClient(PsMessages& messages, ClientTransfer& transfer, const PsGroup& group,
                                 std::function<void()> while_waiting, PsPatience patience)
    : messages_(messages),
      transfer_(transfer),
      group_(group),
      while_waiting_(std::move(while_waiting)),
      pulse_(messages, group, std::move(patience)) {}

void ParameterClient::begin(std::span<const Tensor> state, std::int64_t optimizer_begun, std::int64_t average_begun) {
  std::vector<Messages::Started> sends;
  for (int server = 0; server < group_.servers(); ++server) {
    const int rank = group_.rank_of(server);
    messages_.send(rank, kToServer,
                   {.kind = Kind::begin, .client = client(), .batch = average_begun, .number = optimizer_begun});
    for (const Tensor& tensor : state) {
      sends.push_back(messages_.messages().send(rank, kState, host_bytes(tensor.flat(group_.range(server)))));
    }
  }
  wait(std::move(sends));
}

std::optional<ParameterClient::Assignment> ParameterClient::take(std::optional<int> stop_signal) {
  LS_CHECK(!assignment_, "a client takes a batch before it has pushed the gradient of the last one");
  messages_.send(
      group_.rank_of(0), kToServer,
      {.kind = Kind::want, .client = client(), .count = stop_signal ? 1 : 0, .number = stop_signal.value_or(0)});
  PsMessage message = answer();
  if (message.kind == Kind::asked) {
    asked_ = {.rank = message.slot, .signal = static_cast<int>(message.number)};
    message = answer();
  }
  if (message.kind != Kind::assign && message.kind != Kind::finished) unexpected_answer(client(), 0, message);
  added_ = {.loss = message.loss, .weight = message.weight, .norm = message.norm, .count = message.count};
  updates_ = message.number;
  if (message.kind == Kind::assign) assignment_ = {.batch = message.batch, .number = message.number};
  return assignment_;
}

void ParameterClient::pull(const Tensor& values) {
  LS_CHECK(assignment_, "a client pulls without a batch");
  LS_CHECK(values.dtype() == group_.wire_dtype, fmt::format("a client pulls values as {}", name(values.dtype())));
  const std::int64_t number = assignment_->number;
  std::vector<bool> ready(group_.ranges.size());
  wait([&] {
    bool all = true;
    for (std::size_t server = 0; server < ready.size(); ++server) {
      ready[server] = ready[server] || read_ready(static_cast<int>(server), number, values);
      all = all && ready[server];
    }
    return !transfer_.reading() && all;
  });
}

// Starts to read a server's part of the values after update `number` if it is ready.
bool ParameterClient::read_ready(int server, std::int64_t number, const Tensor& values) {
  const auto message = messages_.receive_from(group_.rank_of(server), kToClient);
  if (!message) return false;
  if (message->kind != Kind::ready || message->number != number) {
    unexpected_answer(client(), server, *message);
  }
  transfer_.read(server, *message, values.flat(group_.range(server)));
  return true;
}

void ParameterClient::push(const Tensor& gradients, const PushInfo& info) {
  LS_CHECK(assignment_, "a client pushes a gradient without a batch");
  LS_CHECK(gradients.dtype() == group_.wire_dtype,
           fmt::format("a client pushes a gradient of {}", name(gradients.dtype())));
  transfer_.push({.kind = Kind::pushed,
                  .client = client(),
                  .slot = slot_,
                  .batch = assignment_->batch,
                  .number = assignment_->number,
                  .factor = info.factor,
                  .weight = info.weight,
                  .loss = info.loss,
                  .norm = info.norm},
                 gradients);
  slot_ = 1 - slot_;
  assignment_.reset();
}

bool ParameterClient::pushing() {
  messages_.sent();
  return transfer_.pushing();
}

void ParameterClient::wait_pushed() {
  wait([&] { return !pushing(); });
}

ParameterClient::Cut ParameterClient::cut(std::span<const Tensor> state) {
  ask(Kind::cut);
  const PsMessage message = answer();
  if (message.kind != Kind::state) unexpected_answer(client(), 0, message);
  updates_ = message.number;
  Cut cut{.number = message.number, .next_batch = message.batch, .unapplied = {}};
  Messages& bulk = messages_.messages();
  std::vector<Messages::Started> receives;
  cut.unapplied.resize(static_cast<std::size_t>(message.count));
  if (message.count > 0) {
    receives.push_back(bulk.receive(group_.rank_of(0), kBatches, std::as_writable_bytes(std::span(cut.unapplied))));
  }
  for (int server = 0; server < group_.servers(); ++server) {
    for (const Tensor& tensor : state) {
      receives.push_back(bulk.receive(group_.rank_of(server), kState, host_bytes(tensor.flat(group_.range(server)))));
    }
  }
  wait(std::move(receives));
  wait([this] { return receive_account(); });  // an older one
  ask_account();
  wait([this] { return receive_account(); });
  return cut;
}

void ParameterClient::ask_account() {
  if (account_asked_) return;
  account_asked_ = true;
  for (int server = 0; server < group_.servers(); ++server) {
    messages_.send(group_.rank_of(server), kToServer, {.kind = Kind::account, .client = client()});
  }
}

const PsAccount& ParameterClient::account() {
  receive_account();
  return account_;
}

// Receives the account that is on its way if all parts of it are there. Returns whether none is on its way.
bool ParameterClient::receive_account() {
  if (!account_asked_) return true;
  Messages& messages = messages_.messages();
  const auto counts_there = messages.arrived_from(group_.rank_of(0), kCounts);
  bool all = counts_there.has_value();
  for (int server = 0; server < group_.servers(); ++server) {
    all = all && messages.arrived_from(group_.rank_of(server), kAccount);
  }
  if (!all) return false;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(counts_there->bytes) / sizeof(std::int64_t));
  const auto receive = messages.receive(group_.rank_of(0), kCounts, std::as_writable_bytes(std::span(counts)));
  while (!messages.done(receive)) {
    // It has begun to arrive; nobody else has to do anything.
  }
  const auto lost = counts.begin() + group_.clients;
  const auto staleness = lost + group_.clients;
  account_ = {.servers = {},
              .batches = {counts.begin(), lost},
              .lost = {lost, staleness},
              .staleness = {staleness, counts.end()}};
  for (int server = 0; server < group_.servers(); ++server) {
    const std::optional<PsMessage> message = messages_.receive_from(group_.rank_of(server), kAccount);
    if (!message) continue;  // it is there, as above
    account_.servers.push_back({.bytes = message->number, .busy = message->factor, .seconds = message->weight});
  }
  account_asked_ = false;
  return true;
}

void ParameterClient::stop() { ask(Kind::stop); }

void ParameterClient::leave() {
  LS_CHECK(!assignment_, "a client leaves before it has pushed the gradient of its batch");
  wait([&] { return !transfer_.pushing() && pulse_.quiet() && receive_account(); });
  ask(Kind::leave);
  left_ = true;
  wait([&] { return messages_.sent(); });
  const PsMessage message = answer();
  if (message.kind != Kind::end) unexpected_answer(client(), 0, message);
}

void ParameterClient::ask(PsMessage::Kind kind) {
  messages_.send(group_.rank_of(0), kToServer, {.kind = kind, .client = client()});
}

PsMessage ParameterClient::answer() {
  PsMessage message;
  wait([&] {
    const auto received = messages_.receive_from(group_.rank_of(0), kToClient);
    if (received) message = *received;
    return received.has_value();
  });
  return message;
}

void ParameterClient::wait(std::vector<Messages::Started> transfers) {
  wait([&] {
    std::erase_if(transfers, [this](Messages::Started one) { return messages_.messages().done(one); });
    return transfers.empty();
  });
}

void ParameterClient::wait(const std::function<bool()>& done) {
  RestBetweenPolls rest(while_waiting_);
  while (!done()) {
    const bool all_sent = messages_.sent();
    if (!left_) pulse_.look();  // servers end once all have left, and would not answer
    rest.pause(transfer_.pushing() || transfer_.reading() || !all_sent);
  }
}

}  // namespace lockstep
