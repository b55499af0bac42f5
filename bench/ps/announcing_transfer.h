#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "ps/ps_messages.h"
#include "ps/server_transfer.h"

namespace lockstep::bench {

// The tag of a server's messages that tell a client that a gradient of it is whole there. `number` is the time, of
// monotonic_ns().
inline constexpr int kWholeTag = 100;

// A ServerTransfer that tells clients when their gradients are whole. Another one transfers.
class AnnouncingTransfer final : public ServerTransfer {
 public:
  // Both outlive it.
  AnnouncingTransfer(PsMessages& messages, ServerTransfer& transfer) : messages_(messages), transfer_(transfer) {}

  std::vector<Tensor> copies() const override { return transfer_.copies(); }
  Tensor mailbox(int client, int slot) const override { return transfer_.mailbox(client, slot); }
  void pushed(Gradient gradient) override { transfer_.pushed(gradient); }
  std::optional<Gradient> whole() override {
    const std::optional<Gradient> gradient = transfer_.whole();
    if (gradient) {
      messages_.send(gradient->client, kWholeTag,
                     {.kind = PsMessage::Kind::arrived,
                      .client = gradient->client,
                      .slot = gradient->slot,
                      .number = monotonic_ns()});
    }
    return gradient;
  }
  void give(int client, std::size_t copy) override { transfer_.give(client, copy); }
  void gotten(int client, std::size_t copy) override { transfer_.gotten(client, copy); }
  std::optional<std::size_t> read() override { return transfer_.read(); }
  std::vector<std::size_t> forget(int client) override { return transfer_.forget(client); }
  void progress() override { transfer_.progress(); }
  bool moving() const override { return transfer_.moving(); }

 private:
  PsMessages& messages_;
  ServerTransfer& transfer_;
};

}  // namespace lockstep::bench
