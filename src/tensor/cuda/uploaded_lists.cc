#include "tensor/cuda/uploaded_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace lockstep {

UploadedLists::~UploadedLists() {
  for (const Slot& slot : slots_) {
    if (slot.copied.handle != nullptr) destroy_event(slot.copied);
  }
}

const void* UploadedLists::upload_bytes(std::span<const std::byte> list, GpuStream stream) {
  if (list.empty()) return nullptr;
  Slot* slot = find(list);
  if (slot == nullptr) {
    slot = &longest_unused();
    fill(*slot, list, stream);
  }
  slot->last_use = ++uses_;
  return slot->device.data();
}

UploadedLists::Slot* UploadedLists::find(std::span<const std::byte> list) {
  const auto found = std::ranges::find_if(slots_, [&](const Slot& slot) {
    return slot.bytes == list.size() && std::memcmp(slot.host.get(), list.data(), list.size()) == 0;
  });
  return found == slots_.end() ? nullptr : &*found;
}

UploadedLists::Slot& UploadedLists::longest_unused() {
  Slot& slot = *std::ranges::min_element(slots_, {}, &Slot::last_use);
  return before_graph_ && slot.last_use > *before_graph_ ? slots_.emplace_back() : slot;
}

void UploadedLists::end_graph(GpuStream stream, bool launched) {
  before_graph_.reset();
  for (Slot& slot : slots_) {
    if (!std::exchange(slot.in_graph, false)) continue;
    if (!launched) slot.bytes = 0;
    record_event(slot.copied, stream);
  }
  outgrown_.clear();
}

// Earlier work of the stream may still read the slot's memory on the GPU: the copy comes after it.
void UploadedLists::fill(Slot& slot, std::span<const std::byte> list, GpuStream stream) {
  if (slot.copied.handle == nullptr) slot.copied = create_event();
  if (slot.bytes > 0) synchronize_event(slot.copied);
  slot.bytes = 0;  // until all of the below has worked
  make_room(slot, list.size());
  std::memcpy(slot.host.get(), list.data(), list.size());
  copy_on_stream(slot.device.data(), slot.host.get(), list.size(), stream);
  record_event(slot.copied, stream);
  slot.in_graph = before_graph_.has_value();
  slot.bytes = list.size();
}

void UploadedLists::make_room(Slot& slot, std::size_t bytes) {
  constexpr std::size_t kLeast = 4096;
  const std::size_t room = std::bit_ceil(std::max(bytes, kLeast));
  if (slot.device.bytes() >= room) return;
  slot.device = {};
  if (before_graph_ && slot.host != nullptr) outgrown_.push_back(std::move(slot.host));
  slot.host.reset(static_cast<std::byte*>(allocate_pinned(room)));
  if (slot.host == nullptr) throw OutOfMemory(fmt::format("out of memory: {} bytes of pinned memory asked for", room));
  slot.device = allocator_.allocate(room);
}

}  // namespace lockstep
