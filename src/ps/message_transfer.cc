#include "ps/message_transfer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "ps/transfer_lists.h"
#include "tensor/host_bytes.h"

namespace lockstep {

MessageServerTransfer::MessageServerTransfer(PsMessages& messages, const PsGroup& group, int server, int copies,
                                             Allocator& memory)
    : messages_(messages) {
  const std::int64_t count = group.range(server).count();
  const auto allocate = [&] {
    memory_.push_back(memory.allocate(static_cast<std::size_t>(count) * size_of(group.wire_dtype)));
    return view(memory_.back(), group.wire_dtype, {count});
  };
  for (int i = 0; i < copies; ++i) copies_.push_back(allocate());
  for (int i = 0; i < 2 * group.clients; ++i) mailboxes_.push_back(allocate());
}

Tensor MessageServerTransfer::mailbox(int client, int slot) const {
  return mailboxes_.at(2 * static_cast<std::size_t>(client) + static_cast<std::size_t>(slot));
}

void MessageServerTransfer::pushed(Gradient gradient) {
  const std::span<std::byte> into = host_bytes(mailbox(gradient.client, gradient.slot));
  receives_.push_back({gradient, messages_.messages().receive(gradient.client, kGradient, into)});
}

// Gradients of one client are tried in their order: a later one may be received first.
std::optional<ServerTransfer::Gradient> MessageServerTransfer::whole() {
  for (auto receive = receives_.begin(); receive != receives_.end(); ++receive) {
    const auto same_client = [&](const Receive& earlier) {
      return earlier.gradient.client == receive->gradient.client;
    };
    if (std::any_of(receives_.begin(), receive, same_client) || !messages_.messages().done(receive->started)) continue;
    const Gradient gradient = receive->gradient;
    receives_.erase(receive);
    return gradient;
  }
  return std::nullopt;
}

void MessageServerTransfer::give(int client, std::size_t copy) {
  sends_.push_back({client, copy, messages_.messages().send(client, kValues, host_bytes(copies_.at(copy)))});
}

void MessageServerTransfer::gotten(int client, std::size_t copy) {
  LS_CHECK(false, fmt::format("client {} says that it has gotten copy {}, which was sent to it", client, copy));
}

std::optional<std::size_t> MessageServerTransfer::read() {
  const auto done = [this](const Send& send) { return messages_.messages().done(send.started); };
  const auto send = std::ranges::find_if(sends_, done);
  if (send == sends_.end()) return std::nullopt;
  const std::size_t copy = send->copy;
  sends_.erase(send);
  return copy;
}

std::vector<std::size_t> MessageServerTransfer::forget(int client) {
  std::erase_if(receives_, [client](const Receive& receive) { return receive.gradient.client == client; });
  return take_copies_of(client, sends_);
}

void MessageClientTransfer::read(int server, const PsMessage& /*ready*/, const Tensor& into) {
  const int rank = group_.rank_of(server);
  reads_.push_back(messages_.messages().receive(rank, kValues, host_bytes(into)));
}

void MessageClientTransfer::push(const PsMessage& pushed, const Tensor& gradients) {
  for (int server = 0; server < group_.servers(); ++server) {
    const Tensor part = gradients.flat(group_.range(server));
    messages_.send(group_.rank_of(server), kToServer, pushed);
    pushes_.push_back(messages_.messages().send(group_.rank_of(server), kGradient, host_bytes(part)));
  }
}

bool MessageClientTransfer::under_way(std::vector<Messages::Started>& transfers) {
  std::erase_if(transfers, [this](Messages::Started one) { return messages_.messages().done(one); });
  return !transfers.empty();
}

}  // namespace lockstep
