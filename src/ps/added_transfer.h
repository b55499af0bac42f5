#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collective/window.h"
#include "ps/client_transfer.h"
#include "ps/group.h"
#include "ps/ps_messages.h"
#include "ps/server_transfer.h"
#include "tensor/parameter_table.h"

namespace lockstep {

// Values that clients reach by themselves, in a Window of which each server's part is its range: they read them, and
// add their updates to them, at any time. No update is lost, but the values that a client reads may have parts of
// updates that are being added. A `pushed` says that an update has been added at all servers.
class AddedServerTransfer final : public ServerTransfer {
 public:
  // The window outlives it.
  explicit AddedServerTransfer(Window& window) : window_(window) {}

  // The memory is the window's (AddedState), and there are no mailboxes.
  std::vector<Tensor> copies() const override { return {}; }
  Tensor mailbox(int /*client*/, int /*slot*/) const override { return {}; }
  void pushed(Gradient gradient) override { whole_.push_back(gradient); }
  std::optional<Gradient> whole() override;
  // A client's read concerns nobody, so it is over for the server as soon as it may begin.
  void give(int /*client*/, std::size_t copy) override { read_.push_back(copy); }
  void gotten(int client, std::size_t copy) override;
  std::optional<std::size_t> read() override;
  std::vector<std::size_t> forget(int /*client*/) override { return {}; }
  void progress() override { window_.progress(); }
  bool moving() const override { return false; }

 private:
  Window& window_;
  std::deque<Gradient> whole_;
  std::deque<std::size_t> read_;
};

class AddedClientTransfer final : public ClientTransfer {
 public:
  // learning_rate: of an update by its number, from 1. Messages and window outlive it.
  AddedClientTransfer(PsMessages& messages, Window& window, PsGroup group, const ParameterTable& table,
                      std::function<double(std::int64_t)> learning_rate);

  // Both have waited for the window when they return.
  void read(int server, const PsMessage& ready, const Tensor& into) override;
  bool reading() override { return false; }
  // Adds -rate * (factor * gradient) to the values of all variables that are trained; a factor of 0 adds nothing. The
  // rate is that of the first update after those that had been made when the batch was handed out: nobody knows which
  // number this one will get.
  void push(const PsMessage& pushed, const Tensor& gradients) override;
  bool pushing() override { return false; }

 private:
  void add(const PsMessage& pushed, std::span<const float> gradients);

  PsMessages& messages_;
  Window& window_;
  PsGroup group_;
  std::vector<FlatRange> trained_;
  std::function<double(std::int64_t)> learning_rate_;
  std::vector<float> update_;  // of the whole store; zeros outside trained_
};

}  // namespace lockstep
