#include "collective/shm/call.h"

#include <fmt/format.h>

namespace lockstep {

bool same(const Call& one, const Call& other) {
  return one.operation == other.operation && one.dtype == other.dtype && one.root == other.root &&
         one.count == other.count && one.slices == other.slices;
}

std::string text(const Call& call) {
  std::string text = name(call.operation);
  if (call.operation != Operation::barrier && call.operation != Operation::exchange) {
    text += call.dtype == DType::uint8 ? fmt::format(" of {} bytes", call.count)
                                       : fmt::format(" of {} {}", call.count, name(call.dtype));
  }
  if (call.operation == Operation::broadcast) text += fmt::format(" from rank {}", call.root);
  if (call.slices != 0) text += fmt::format(" in slices with digest {:x}", call.slices & 0xffffU);
  return text;
}

std::uint64_t digest(std::span<const FlatRange> slices) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, by words
  for (const FlatRange& slice : slices) hash = (hash ^ static_cast<std::uint64_t>(slice.end)) * 0x100000001b3U;
  return hash | 1U;
}

}  // namespace lockstep
