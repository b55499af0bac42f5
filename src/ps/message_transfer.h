#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ps/client_transfer.h"
#include "ps/group.h"
#include "ps/ps_messages.h"
#include "ps/server_transfer.h"
#include "tensor/allocator.h"

namespace lockstep {

// Values and gradients as messages: values of the tag kValues, gradients, after their `pushed`, of the tag kGradient.
class MessageServerTransfer final : public ServerTransfer {
 public:
  // memory: gives the memory for the copies and mailboxes. messages and memory outlive it.
  MessageServerTransfer(PsMessages& messages, const PsGroup& group, int server, int copies, Allocator& memory);

  std::vector<Tensor> copies() const override { return copies_; }
  Tensor mailbox(int client, int slot) const override;
  void pushed(Gradient gradient) override;
  std::optional<Gradient> whole() override;
  void give(int client, std::size_t copy) override;
  void gotten(int client, std::size_t copy) override;
  std::optional<std::size_t> read() override;
  std::vector<std::size_t> forget(int client) override;
  void progress() override {}
  bool moving() const override { return !receives_.empty() || !sends_.empty(); }

 private:
  struct Receive {
    Gradient gradient;
    Messages::Started started;
  };
  struct Send {
    int client = 0;
    std::size_t copy = 0;
    Messages::Started started;
  };

  PsMessages& messages_;
  std::vector<Buffer> memory_;
  std::vector<Tensor> copies_;
  std::vector<Tensor> mailboxes_;  // of client 0, slots 0 and 1, then of the next
  std::vector<Receive> receives_;  // in the order of their `pushed`
  std::vector<Send> sends_;
};

class MessageClientTransfer final : public ClientTransfer {
 public:
  // messages outlives it.
  MessageClientTransfer(PsMessages& messages, PsGroup group) : messages_(messages), group_(std::move(group)) {}

  void read(int server, const PsMessage& ready, const Tensor& into) override;
  bool reading() override { return under_way(reads_); }
  void push(const PsMessage& pushed, const Tensor& gradients) override;
  bool pushing() override { return under_way(pushes_); }

 private:
  // Forgets those that are done.
  bool under_way(std::vector<Messages::Started>& transfers);

  PsMessages& messages_;
  PsGroup group_;
  std::vector<Messages::Started> reads_;
  std::vector<Messages::Started> pushes_;
};

}  // namespace lockstep
