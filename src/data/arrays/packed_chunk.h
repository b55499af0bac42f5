#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

// Checks that a chunk of an HDF5 data set, as stored in the file, unpacks to exactly its size. HDF5 itself does not
// check: for a chunk that unpacks to less it returns uninitialised memory, and for one that unpacks to more it
// allocates as much as the chunk asks for. Pure; any thread may call.
namespace lockstep {

// The filters whose output size can be known without trusting the chunk.
enum class ChunkFilter : std::uint8_t {
  deflate,     // zlib; its result may have any size
  shuffle,     // reorders bytes
  fletcher32,  // appends a checksum of four bytes, which HDF5 verifies
};

// The fault of the stored bytes of a chunk of `bytes` bytes; none if they unpack to exactly as many. `filters` are in
// the order in which they were applied, at most 32 and deflate at most once; `skipped` has a bit for each filter that
// was not applied to this chunk. Unpacks in a few kilobytes of memory, and stops at the first byte too many.
std::optional<std::string> packed_chunk_fault(std::span<const ChunkFilter> filters, std::uint32_t skipped,
                                              std::span<const std::byte> stored, std::uint64_t bytes);

// An upper bound on what zlib makes of a chunk of `bytes` bytes, checksums included.
std::uint64_t most_packed_bytes(std::span<const ChunkFilter> filters, std::uint64_t bytes);

}  // namespace lockstep
