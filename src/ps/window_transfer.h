#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "collective/window.h"
#include "ps/client_transfer.h"
#include "ps/group.h"
#include "ps/ps_messages.h"
#include "ps/server_transfer.h"
#include "ps/window_layout.h"

namespace lockstep {

// Values and gradients through the memory of a Window: clients read the copies of a server's values and write into its
// mailboxes by themselves. A server's part of the window is as long as its WindowLayout; a client offers none.
class WindowServerTransfer final : public ServerTransfer {
 public:
  // The window outlives it.
  WindowServerTransfer(Window& window, const PsGroup& group, int server, int copies);

  std::vector<Tensor> copies() const override;
  Tensor mailbox(int client, int slot) const override { return tensor(layout_.mailbox(client, slot)); }
  void pushed(Gradient gradient) override;
  std::optional<Gradient> whole() override;
  void give(int client, std::size_t copy) override;
  void gotten(int client, std::size_t copy) override;
  std::optional<std::size_t> read() override;
  std::vector<std::size_t> forget(int client) override;
  void progress() override { window_.progress(); }
  bool moving() const override { return !gives_.empty(); }

 private:
  struct Give {
    int client = 0;
    std::size_t copy = 0;
  };

  Tensor tensor(std::int64_t offset) const;

  Window& window_;
  std::int64_t count_;
  DType dtype_;
  WindowLayout layout_;
  std::deque<Gradient> whole_;
  std::vector<Give> gives_;  // not gotten yet
  std::deque<std::size_t> read_;
};

class WindowClientTransfer final : public ClientTransfer {
 public:
  // copies: number of a server's copies of its values, the same at every server. messages and window outlive it.
  WindowClientTransfer(PsMessages& messages, Window& window, PsGroup group, int copies)
      : messages_(messages), window_(window), group_(std::move(group)), copies_(copies) {}

  // Both have waited for the transfer when they return.
  void read(int server, const PsMessage& ready, const Tensor& into) override;
  bool reading() override { return false; }
  void push(const PsMessage& pushed, const Tensor& gradients) override;
  bool pushing() override { return false; }

 private:
  WindowLayout layout(int server) const {
    return {group_.range(server).count(), copies_, group_.clients, group_.wire_dtype};
  }

  PsMessages& messages_;
  Window& window_;
  PsGroup group_;
  int copies_;
};

}  // namespace lockstep
