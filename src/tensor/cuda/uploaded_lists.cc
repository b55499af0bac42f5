#include "tensor/cuda/uploaded_lists.h"

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
    return slot.bytes == list.size() && std::memcmp(slot.host.data(), list.data(), list.size()) == 0;
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
}

// Copies on the stream, because its earlier work may still read the slot's memory on the GPU.
void UploadedLists::fill(Slot& slot, std::span<const std::byte> list, GpuStream stream) {
  if (slot.copied.handle == nullptr) slot.copied = create_event();
  if (slot.bytes > 0) synchronize_event(slot.copied);
  slot.bytes = 0;  // until all of the below has worked
  make_room(slot, list.size());
  std::memcpy(slot.host.data(), list.data(), list.size());
  copy_on_stream(slot.device.data(), slot.host.data(), list.size(), stream);
  record_event(slot.copied, stream);
  slot.in_graph = before_graph_.has_value();
  slot.bytes = list.size();
}

void UploadedLists::make_room(Slot& slot, std::size_t bytes) {
  constexpr std::size_t kLeast = 4096;
  const std::size_t room = std::bit_ceil(std::max(bytes, kLeast));
  if (slot.device.bytes() >= room) return;
  slot.device = {};
  slot.host = {};
  slot.host = pinned_.allocate(room);
  slot.device = allocator_.allocate(room);
}

}  // namespace lockstep
