#include "train/output/events/record_framing.h"

#include <array>
#include <bit>

namespace lockstep {
namespace {

// The remainder of each value of the lowest byte, for the polynomial 0x1EDC6F41 with its bits reversed.
constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = remainder;
  }
  return table;
}
constexpr auto kCrcTable = make_crc_table();

std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(std::as_bytes(std::span(bytes))), 15) + 0xA282EAD8u;
}

template <class Number>
std::string little_endian(Number number) {
  std::string bytes;
  for (std::size_t at = 0; at < sizeof(Number); ++at) bytes += static_cast<char>(number >> (8 * at) & 0xFF);
  return bytes;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t remainder = 0xFFFFFFFFu;
  for (const std::byte byte : bytes) {
    remainder = (remainder >> 8) ^ kCrcTable[(remainder ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  }
  return ~remainder;
}

std::string framed(std::string_view record) {
  const std::string length = little_endian(static_cast<std::uint64_t>(record.size()));
  std::string text = length + little_endian(masked_crc(length));
  text += record;
  return text + little_endian(masked_crc(record));
}

}  // namespace lockstep
