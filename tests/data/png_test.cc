#include "data/png.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <vector>

namespace lockstep {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct Chunk {
  std::string type;
  std::string data;
};

// Splits a file into the chunks that the standard describes, and checks each checksum.
std::vector<Chunk> chunks_of(const std::string& png) {
  REQUIRE(png.starts_with("\x89PNG\r\n\x1a\n"));
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t bytes = number_at(png, at);
    REQUIRE(at + 12 + bytes <= png.size());
    const std::string body = png.substr(at + 4, 4 + bytes);
    CHECK(number_at(png, at + 8 + bytes) == crc32(0, reinterpret_cast<const Bytef*>(body.data()), 4 + bytes));
    chunks.push_back({.type = body.substr(0, 4), .data = body.substr(4)});
    at += 12 + bytes;
  }
  return chunks;
}

std::string unpacked(const std::string& packed, std::size_t bytes) {
  std::string text(bytes + 1, '\0');
  uLongf size = text.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(text.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                     packed.size()) == Z_OK);
  text.resize(size);
  return text;
}

std::string rows_of(const std::string& pixels, const PngSize& size, const std::string& header) {
  const auto chunks = chunks_of(png_of(std::as_bytes(std::span(pixels)), size));
  REQUIRE(chunks.size() == 3);
  CHECK(chunks[0].type == "IHDR");
  CHECK(chunks[0].data == header);
  CHECK(chunks[1].type == "IDAT");
  CHECK(chunks[2].type == "IEND");
  CHECK(chunks[2].data.empty());
  return unpacked(chunks[1].data, pixels.size() + static_cast<std::size_t>(size.height));
}

}  // namespace

TEST_CASE("a PNG has a header, its rows with their filter, and an end") {
  using std::string_literals::operator""s;
  CHECK(rows_of("abcdef", {.width = 3, .height = 2}, "\0\0\0\3\0\0\0\2\x08\0\0\0\0"s) == "\0abc\0def"s);
  CHECK(rows_of("rgbRGB", {.width = 1, .height = 2, .channels = 3}, "\0\0\0\1\0\0\0\2\x08\2\0\0\0"s) == "\0rgb\0RGB"s);
  CHECK(rows_of("\xff", {.width = 1, .height = 1}, "\0\0\0\1\0\0\0\1\x08\0\0\0\0"s) == "\0\xff"s);
}

}  // namespace lockstep
