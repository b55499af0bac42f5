#include "data/png.h"

#include <zlib.h>

#include <string_view>

#include "base/error.h"

namespace lockstep {
namespace {

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

// The number as four bytes, the most significant first.
std::string four_bytes(std::uint32_t number) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift & 0xFFU);
  return bytes;
}

// chunk := bytes of the data (4) | type (4) | data | CRC-32 of type and data (4)
std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  return four_bytes(static_cast<std::uint32_t>(data.size())) + body +
         four_bytes(static_cast<std::uint32_t>(crc32_z(0, bytes_of(body), body.size())));
}

std::string deflated(std::string_view text) {
  uLongf bytes = compressBound(text.size());
  std::string packed(bytes, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(packed.data()), &bytes, bytes_of(text), text.size(), 9);
  LS_CHECK(result == Z_OK, "zlib cannot pack a picture; out of memory?");
  packed.resize(bytes);
  return packed;
}

}  // namespace

std::string png_of(std::span<const std::byte> pixels, const PngSize& size) {
  const auto row_bytes = static_cast<std::size_t>(size.width * size.channels);
  LS_CHECK(pixels.size() == row_bytes * static_cast<std::size_t>(size.height), "a picture of another size");
  std::string rows;  // each after the byte of filter type 0, none
  for (; !pixels.empty(); pixels = pixels.subspan(row_bytes)) {
    rows += '\0';
    rows.append(reinterpret_cast<const char*>(pixels.data()), row_bytes);
  }
  const char color = size.channels == 3 ? 2 : 0;
  const std::string header = four_bytes(static_cast<std::uint32_t>(size.width)) +
                             four_bytes(static_cast<std::uint32_t>(size.height)) + '\x08' + color +
                             std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", deflated(rows)) + chunk("IEND", "");
}

}  // namespace lockstep
