#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

// Whether a chunk of an HDF5 data set, as it lies in the file, unpacks to exactly its size. HDF5 itself does not look:
// of a chunk that unpacks to less it hands out memory that nobody wrote, and for one that unpacks to more it takes as
// much memory as that asks for. Pure; any thread may call.
namespace lockstep {

// The filters whose result has a size that can be told without trusting the chunk.
enum class ChunkFilter : std::uint8_t {
  deflate,     // zlib; its result may have any size
  shuffle,     // reorders bytes
  fletcher32,  // appends a checksum of four bytes, which HDF5 verifies
};

// What is wrong with the stored bytes of a chunk of `bytes` bytes; none if they unpack to just these. `filters` in the
// order in which they were applied, at most 32 and deflate at most once; a bit of `skipped` for each that this chunk
// went without. Unpacks in a few kilobytes of memory, and stops at the first byte too many.
std::optional<std::string> packed_chunk_fault(std::span<const ChunkFilter> filters, std::uint32_t skipped,
                                              std::span<const std::byte> stored, std::uint64_t bytes);

// More than zlib ever makes of a chunk of `bytes` bytes, checksums included.
std::uint64_t most_packed_bytes(std::span<const ChunkFilter> filters, std::uint64_t bytes);

}  // namespace lockstep
