#include "idx_files.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <fstream>

namespace lockstep {

Bytes idx_bytes(const std::vector<std::uint32_t>& extents, const Bytes& values) {
  Bytes bytes = {0, 0, 8, static_cast<std::uint8_t>(extents.size())};
  for (const std::uint32_t extent : extents) {
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(extent >> shift));
  }
  return joined(bytes, values);
}

Bytes packed(const Bytes& bytes) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  Bytes result(deflateBound(&stream, bytes.size()));
  Bytes input = bytes;
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = result.data();
  stream.avail_out = static_cast<uInt>(result.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

Bytes zlib_packed(const Bytes& bytes) {
  uLongf size = compressBound(bytes.size());
  Bytes result(size);
  REQUIRE(compress(result.data(), &size, bytes.data(), bytes.size()) == Z_OK);
  result.resize(size);
  return result;
}

void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  REQUIRE(file.good());
}

Bytes cut(Bytes bytes, std::size_t size) {
  REQUIRE(size <= bytes.size());
  bytes.resize(size);
  return bytes;
}

Bytes flipped(Bytes bytes, std::size_t at) {
  bytes.at(at) ^= 0xFF;
  return bytes;
}

Bytes joined(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace lockstep
