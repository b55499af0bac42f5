#include "collective/collective_call.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

// ranks: the numbers that messages give the ranks; empty: their own.
std::string text(const CollectiveCall& call, std::span<const int> ranks) {
  std::string text = name(call.operation);
  const char* const what = call.dtype == DType::uint8 ? "bytes" : name(call.dtype);
  if (call.count != CollectiveCall::kNoCount) text += fmt::format(" of {} {}", call.count, what);
  if (call.root >= 0) {
    text += fmt::format(" from rank {}", ranks.empty() ? call.root : ranks[static_cast<std::size_t>(call.root)]);
  }
  if (call.slices != 0) text += fmt::format(" in slices {:016x}", call.slices);
  return text;
}

}  // namespace

// FNV-1a with 64 bits (Fowler, Noll, Vo), taken over numbers in place of bytes.
std::uint64_t hash_of(std::span<const FlatRange> slices) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const FlatRange& slice : slices) {
    for (const std::int64_t border : {slice.begin, slice.end}) {
      hash = (hash ^ static_cast<std::uint64_t>(border)) * kPrime;
      hash ^= hash >> 32;  // so that high bits of a border reach the low bits as well
    }
  }
  return std::max<std::uint64_t>(hash, 1);
}

std::string mismatch(std::span<const CollectiveCall> calls, std::span<const int> ranks) {
  const auto rank = [ranks](std::size_t i) { return ranks.empty() ? static_cast<int>(i) : ranks[i]; };
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if (calls[i] == calls[0]) continue;
    return fmt::format("rank {} calls {} where rank {} calls {}", rank(0), text(calls[0], ranks), rank(i),
                       text(calls[i], ranks));
  }
  return "";
}

}  // namespace lockstep
