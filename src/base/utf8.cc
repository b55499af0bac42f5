#include "base/utf8.h"

#include <array>

namespace lockstep {
namespace {

constexpr char32_t kFirstSurrogate = 0xD800;
constexpr char32_t kLastSurrogate = 0xDFFF;
constexpr char32_t kLastCharacter = 0x10FFFF;

// The least character that needs as many bytes as the index.
constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};

// Bytes of a character by its first byte; 0 if that begins no character.
std::size_t announced_bytes(unsigned first) {
  if (first < 0x80) return 1;
  if (first < 0xC0) return 0;  // 10xxxxxx: it continues a character
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF8 ? 4 : 0;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = announced_bytes(first);
  if (bytes == 1) return {.code_point = first, .bytes = 1};
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t code_point = first & (0x7FU >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    if (!continues_character(c)) return {};
    code_point = code_point << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  }
  const bool is_surrogate = code_point >= kFirstSurrogate && code_point <= kLastSurrogate;
  if (code_point < kLeast.at(bytes) || is_surrogate || code_point > kLastCharacter) return {};
  return {.code_point = code_point, .bytes = bytes};
}

std::optional<std::size_t> find_non_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = first_character(text.substr(at)).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

}  // namespace lockstep
