#include "ps/window_transfer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "ps/transfer_lists.h"
#include "tensor/host_bytes.h"

namespace lockstep {

WindowServerTransfer::WindowServerTransfer(Window& window, const PsGroup& group, int server, int copies)
    : window_(window),
      count_(group.range(server).count()),
      dtype_(group.wire_dtype),
      layout_(count_, copies, group.clients, dtype_) {
  LS_CHECK(
      std::ssize(window.memory()) >= layout_.bytes(),
      fmt::format("server {} offers {} bytes of memory and needs {}", server, window.memory().size(), layout_.bytes()));
}

std::vector<Tensor> WindowServerTransfer::copies() const {
  std::vector<Tensor> all;
  for (std::int64_t i = 0; i < layout_.copies(); ++i) all.push_back(tensor(layout_.copy(i)));
  return all;
}

Tensor WindowServerTransfer::tensor(std::int64_t offset) const {
  return {window_.memory().data() + offset, dtype_, {count_}};
}

void WindowServerTransfer::pushed(Gradient gradient) {
  window_.refresh();
  whole_.push_back(gradient);
}

std::optional<ServerTransfer::Gradient> WindowServerTransfer::whole() { return take_first(whole_); }

void WindowServerTransfer::give(int client, std::size_t copy) {
  window_.refresh();
  gives_.push_back({.client = client, .copy = copy});
}

void WindowServerTransfer::gotten(int client, std::size_t copy) {
  const auto same = [&](const Give& give) { return give.client == client && give.copy == copy; };
  const auto give = std::ranges::find_if(gives_, same);
  LS_CHECK(give != gives_.end(), fmt::format("client {} has gotten copy {}, which it was not given", client, copy));
  gives_.erase(give);
  read_.push_back(copy);
}

std::optional<std::size_t> WindowServerTransfer::read() { return take_first(read_); }

std::vector<std::size_t> WindowServerTransfer::forget(int client) { return take_copies_of(client, gives_); }

void WindowClientTransfer::read(int server, const PsMessage& ready, const Tensor& into) {
  const int rank = group_.rank_of(server);
  window_.get(rank, layout(server).copy(ready.slot), host_bytes(into));
  window_.flush(rank);
  messages_.send(rank, kToServer,
                 {.kind = PsMessage::Kind::gotten, .client = messages_.messages().rank(), .slot = ready.slot});
}

// All puts are started before the first is waited for.
void WindowClientTransfer::push(const PsMessage& pushed, const Tensor& gradients) {
  for (int server = 0; server < group_.servers(); ++server) {
    window_.put(group_.rank_of(server), layout(server).mailbox(pushed.client, pushed.slot),
                host_bytes(gradients.flat(group_.range(server))));
  }
  for (int server = 0; server < group_.servers(); ++server) {
    window_.flush(group_.rank_of(server));
    messages_.send(group_.rank_of(server), kToServer, pushed);
  }
}

}  // namespace lockstep
