#include "launch/readers/python_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lockstep {
namespace {

// The character that text begins with, and how many bytes it has. REQUIRES: text is UTF-8.
std::pair<std::uint32_t, std::size_t> first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
  const std::uint32_t first = byte(0);
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {first, 1};
  std::uint32_t character = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) character = character << 6 | (byte(i) & 0x3fU);
  return {character, bytes};
}

bool is_printable(std::uint32_t character) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 9> kOthers = {{{0x00, 0x1f},
                                                                               {0x7f, 0xa0},
                                                                               {0xad, 0xad},
                                                                               {0x2000, 0x200f},
                                                                               {0x2028, 0x202f},
                                                                               {0x205f, 0x206f},
                                                                               {0x3000, 0x3000},
                                                                               {0xe000, 0xf8ff},
                                                                               {0xfeff, 0xfeff}}};
  return std::ranges::none_of(kOthers,
                              [&](const auto& range) { return character >= range.first && character <= range.second; });
}

std::string escaped_character(std::uint32_t character) {
  switch (character) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return character <= 0xff ? fmt::format("\\x{:02x}", character) : fmt::format("\\u{:04x}", character);
  }
}

}  // namespace

std::string python_quoted(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string repr(1, quote);
  while (!text.empty()) {
    const auto [character, bytes] = first_character(text);
    if (text[0] == quote || text[0] == '\\') repr += '\\';
    repr += is_printable(character) ? std::string(text.substr(0, bytes)) : escaped_character(character);
    text.remove_prefix(bytes);
  }
  return repr + quote;
}

}  // namespace lockstep
