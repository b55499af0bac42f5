#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

using Bytes = std::vector<std::uint8_t>;

// Makes an idx file of unsigned bytes in memory: a header with these extents, then the values, however many.
Bytes idx_bytes(const std::vector<std::uint32_t>& extents, const Bytes& values);

Bytes packed(const Bytes& bytes);       // by gzip
Bytes zlib_packed(const Bytes& bytes);  // without gzip's header, as HDF5 packs chunks
void write_file(const std::string& path, const Bytes& bytes);

// Operations on file contents.
Bytes cut(Bytes bytes, std::size_t size);        // keeps the first `size` bytes
Bytes flipped(Bytes bytes, std::size_t at);      // one byte inverted
Bytes joined(Bytes first, const Bytes& second);  // one after the other

}  // namespace lockstep
