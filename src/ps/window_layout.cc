#include "ps/window_layout.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr std::int64_t kLine = 64;  // bytes

}  // namespace

WindowLayout::WindowLayout(std::int64_t count, std::int64_t copies, std::int64_t clients, DType dtype)
    : copies_(copies),
      clients_(clients),
      length_((count * static_cast<std::int64_t>(size_of(dtype)) + kLine - 1) / kLine * kLine) {}

std::int64_t WindowLayout::copy(std::int64_t number) const {
  LS_CHECK(number >= 0 && number < copies_, fmt::format("copy {} of {}", number, copies_));
  return length_ * number;
}

std::int64_t WindowLayout::mailbox(std::int64_t client, std::int64_t slot) const {
  LS_CHECK(client >= 0 && client < clients_ && (slot == 0 || slot == 1),
           fmt::format("mailbox {} of client {} of {}", slot, client, clients_));
  return length_ * (copies_ + 2 * client + slot);
}

}  // namespace lockstep
