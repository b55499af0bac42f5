#include "ps/client.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/error.h"
#include "ps/rest.h"

namespace lockstep {

using Kind = PsMessage::Kind;

namespace {

std::span<float> part_of(const Tensor& whole, FlatRange range) { return whole.flat(range).span<float>(); }

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

void ParameterClient::begin(std::span<const Tensor> state, std::int64_t optimizer_begun) {
  std::vector<Messages::Started> sends;
  for (int server = 0; server < group_.servers(); ++server) {
    const int rank = group_.rank_of(server);
    messages_.send(rank, kToServer, {.kind = Kind::begin, .client = client(), .number = optimizer_begun});
    for (const Tensor& tensor : state) {
      const auto part = std::as_bytes(part_of(tensor, group_.range(server)));
      sends.push_back(messages_.messages().send(rank, kState, part));
    }
  }
  wait(std::move(sends));
}

std::optional<ParameterClient::Assignment> ParameterClient::take() {
  LS_CHECK(!assignment_, "a client takes a batch before it has pushed the gradient of the last one");
  ask(Kind::want);
  const PsMessage message = answer();
  if (message.kind != Kind::assign && message.kind != Kind::finished) unexpected_answer(client(), 0, message);
  added_ = {.loss = message.loss, .weight = message.weight, .norm = message.norm, .count = message.count};
  updates_ = message.number;
  if (message.kind == Kind::assign) assignment_ = {.batch = message.batch, .number = message.number};
  return assignment_;
}

void ParameterClient::pull(const Tensor& values) {
  LS_CHECK(assignment_, "a client pulls without a batch");
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
  transfer_.read(server, *message, part_of(values, group_.range(server)));
  return true;
}

void ParameterClient::push(const Tensor& gradients, const PushInfo& info) {
  LS_CHECK(assignment_, "a client pushes a gradient without a batch");
  transfer_.push({.kind = Kind::pushed,
                  .client = client(),
                  .slot = slot_,
                  .batch = assignment_->batch,
                  .number = assignment_->number,
                  .factor = info.factor,
                  .weight = info.weight,
                  .loss = info.loss,
                  .norm = info.norm},
                 gradients.span<float>());
  slot_ = 1 - slot_;
  assignment_.reset();
}

void ParameterClient::wait_pushed() {
  wait([&] { return !transfer_.pushing(); });
}

ParameterClient::Cut ParameterClient::cut(std::span<const Tensor> state) {
  ask(Kind::cut);
  const PsMessage message = answer();
  if (message.kind != Kind::state) unexpected_answer(client(), 0, message);
  updates_ = message.number;
  Cut cut{.number = message.number, .next_batch = message.batch, .unapplied = {}, .account = {}};
  Messages& bulk = messages_.messages();
  std::vector<Messages::Started> receives;
  const auto receive = [&](std::vector<std::int64_t>& numbers, std::int64_t count, int tag) {
    numbers.resize(static_cast<std::size_t>(count));
    if (count > 0) receives.push_back(bulk.receive(group_.rank_of(0), tag, std::as_writable_bytes(std::span(numbers))));
  };
  receive(cut.unapplied, message.count, kBatches);
  receive(cut.account.batches, group_.clients, kCounts);
  receive(cut.account.lost, group_.clients, kCounts);
  receive(cut.account.staleness, message.slot, kCounts);
  for (int server = 0; server < group_.servers(); ++server) {
    for (const Tensor& tensor : state) {
      receives.push_back(
          bulk.receive(group_.rank_of(server), kState, std::as_writable_bytes(part_of(tensor, group_.range(server)))));
    }
  }
  wait(std::move(receives));
  cut.account.servers = server_accounts();
  return cut;
}

std::vector<PsAccount::Server> ParameterClient::server_accounts() {
  std::vector<PsAccount::Server> accounts;
  wait([&] {
    while (std::ssize(accounts) < group_.servers()) {
      const auto message = messages_.receive_from(group_.rank_of(static_cast<int>(accounts.size())), kAccount);
      if (!message) return false;
      accounts.push_back({.bytes = message->number, .busy = message->factor, .seconds = message->weight});
    }
    return true;
  });
  return accounts;
}

void ParameterClient::stop() { ask(Kind::stop); }

void ParameterClient::leave() {
  LS_CHECK(!assignment_, "a client leaves before it has pushed the gradient of its batch");
  wait([&] { return !transfer_.pushing() && pulse_.quiet(); });
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
