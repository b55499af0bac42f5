#include "data/arrays/packed_chunk.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

namespace lockstep {
namespace {

constexpr std::uint64_t kChecksumBytes = 4;

struct Inflater {
  Inflater() {
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
};

std::optional<std::string> deflated_fault(std::span<const std::byte> packed, std::uint64_t bytes) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::array<Bytef, 64 << 10> unpacked{};
  std::uint64_t found = 0;
  Inflater inflater;
  z_stream& stream = inflater.stream;
  while (true) {
    if (stream.avail_in == 0) {
      const std::span piece = packed.first(std::min(packed.size(), kMostAtOnce));
      stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
      packed = packed.subspan(piece.size());
    }
    stream.next_out = unpacked.data();
    stream.avail_out = static_cast<uInt>(unpacked.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    found += unpacked.size() - stream.avail_out;
    if (found > bytes) return fmt::format("unpacks to more than its {} bytes", bytes);
    if (result == Z_STREAM_END) break;
    if (result == Z_BUF_ERROR) return fmt::format("is cut off: {} of its {} bytes can be unpacked", found, bytes);
    if (result != Z_OK) {
      return fmt::format("cannot be unpacked (zlib: {})", stream.msg == nullptr ? "no reason given" : stream.msg);
    }
  }
  if (found == bytes) return std::nullopt;
  return fmt::format("unpacks to {} bytes, not to its {}", found, bytes);
}

// Sizes around deflate: its input has `before` bytes, and `behind` bytes follow its result.
struct Sizes {
  bool deflated = false;
  std::uint64_t before;
  std::uint64_t behind = 0;
};

Sizes sizes_of(std::span<const ChunkFilter> filters, std::uint32_t skipped, std::uint64_t bytes) {
  Sizes sizes{.before = bytes};
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if ((skipped >> i & 1U) != 0) continue;
    if (filters[i] == ChunkFilter::deflate) sizes.deflated = true;
    if (filters[i] == ChunkFilter::fletcher32) (sizes.deflated ? sizes.behind : sizes.before) += kChecksumBytes;
  }
  return sizes;
}

}  // namespace

std::optional<std::string> packed_chunk_fault(std::span<const ChunkFilter> filters, std::uint32_t skipped,
                                              std::span<const std::byte> stored, std::uint64_t bytes) {
  const Sizes sizes = sizes_of(filters, skipped, bytes);
  if (sizes.deflated && stored.size() > sizes.behind) {
    return deflated_fault(stored.first(stored.size() - static_cast<std::size_t>(sizes.behind)), sizes.before);
  }
  if (!sizes.deflated && stored.size() == sizes.before) return std::nullopt;
  return fmt::format("has {} bytes in the file, {}", stored.size(),
                     sizes.deflated ? "too few to be packed ones" : fmt::format("not {}", sizes.before));
}

std::uint64_t most_packed_bytes(std::span<const ChunkFilter> filters, std::uint64_t bytes) {
  const auto before = bytes + kChecksumBytes * filters.size();
  return deflateBound(nullptr, static_cast<uLong>(before)) + kChecksumBytes * filters.size();
}

}  // namespace lockstep
