#include "ps/try_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ps/window_layout.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMostBytes = 4096;  // of a mailbox or a copy

// Calls use(offset, bytes) for each mailbox of a client at a server: offset is its place, bytes are what the client
// writes there.
template <class Use>
void for_mailboxes(const WindowLayout& layout, std::int64_t size, int client, int server, Use use) {
  for (int slot = 0; slot < 2; ++slot) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    std::uint32_t value = 7U * static_cast<std::uint32_t>(client) + 3U * static_cast<std::uint32_t>(server);
    value += static_cast<std::uint32_t>(slot);
    for (std::byte& byte : bytes) byte = std::byte(1 + ++value % 251);
    use(layout.mailbox(client, slot), bytes);
  }
}

// Bytes that a server writes into its first copy.
std::vector<std::byte> bytes_of_copy(std::int64_t size, int server) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  std::uint32_t value = 11U * static_cast<std::uint32_t>(server);
  for (std::byte& byte : bytes) byte = std::byte(2 + ++value % 241);
  return bytes;
}

// The part of one rank.
class WindowTrial {
 public:
  WindowTrial(Window& window, Communicator& ranks, const PsGroup& group, int copies)
      : window_(window), ranks_(ranks), group_(group), copies_(copies) {}

  std::string run() {
    const int server = ranks_.rank() - group_.clients;
    if (server >= 0) {
      run_server(server);
    } else {
      run_client(ranks_.rank());
    }
    return wrong_;
  }

 private:
  WindowLayout layout(int server) const {
    return {group_.range(server).count(), copies_, group_.clients, group_.wire_dtype};
  }
  std::int64_t size(int server) const {
    return std::min(group_.range(server).count() * static_cast<std::int64_t>(size_of(group_.wire_dtype)), kMostBytes);
  }

  void compare(std::span<const std::byte> there, std::span<const std::byte> expected, int owner) {
    if (!wrong_.empty() || std::ranges::equal(there, expected)) return;
    wrong_ = fmt::format("rank {} has found other bytes in the memory of rank {} than were written there",
                         ranks_.rank(), owner);
  }

  void run_client(int client) {
    for (int server = 0; server < group_.servers(); ++server) {
      const int rank = group_.rank_of(server);
      for_mailboxes(layout(server), size(server), client, server, [&](std::int64_t offset, const auto& bytes) {
        window_.put(rank, offset, bytes);
        window_.flush(rank);
        std::vector<std::byte> back(bytes.size());
        window_.get(rank, offset, back);
        window_.flush(rank);
        compare(back, bytes, rank);
      });
    }
    ranks_.barrier();
    ranks_.barrier();
    for (int server = 0; server < group_.servers(); ++server) {
      const int rank = group_.rank_of(server);
      std::vector<std::byte> copy(static_cast<std::size_t>(size(server)));
      window_.get(rank, layout(server).copy(0), copy);
      window_.flush(rank);
      compare(copy, bytes_of_copy(size(server), server), rank);
    }
    ranks_.barrier();
  }

  void run_server(int server) {
    const auto place = [&](std::int64_t offset, std::size_t bytes) {
      return window_.memory().subspan(static_cast<std::size_t>(offset), bytes);
    };
    ranks_.barrier();
    window_.refresh();
    for (int client = 0; client < group_.clients; ++client) {
      for_mailboxes(layout(server), size(server), client, server, [&](std::int64_t offset, const auto& bytes) {
        const std::span<std::byte> mailbox = place(offset, bytes.size());
        compare(mailbox, bytes, ranks_.rank());
        std::ranges::fill(mailbox, std::byte{0});
      });
    }
    const std::vector<std::byte> mine = bytes_of_copy(size(server), server);
    const std::span<std::byte> copy = place(layout(server).copy(0), mine.size());
    std::ranges::copy(mine, copy.begin());
    window_.refresh();
    ranks_.barrier();
    ranks_.barrier();
    std::ranges::fill(copy, std::byte{0});
    window_.refresh();
  }

  Window& window_;
  Communicator& ranks_;
  const PsGroup& group_;
  int copies_;
  std::string wrong_;
};

}  // namespace

std::string try_window(Window& window, Communicator& ranks, const PsGroup& group, int copies) {
  return WindowTrial(window, ranks, group, copies).run();
}

}  // namespace lockstep
