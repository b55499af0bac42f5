#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// UTF-8, strictly as in RFC 3629: overlong characters, halves of surrogate pairs, numbers beyond U+10FFFF and truncated
// sequences are errors. Pure; any thread.
namespace lockstep {

struct Utf8Character {
  char32_t code_point = 0;
  std::size_t bytes = 0;  // 1 to 4; 0: no character
};

// The first character of the text; 0 bytes if the text is empty or does not begin with UTF-8.
Utf8Character first_character(std::string_view text);

// Returns whether the byte is a character's second or a later one.
inline bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; }

// The offset of the first byte that begins no character; nothing if all of the text is UTF-8.
std::optional<std::size_t> find_non_utf8(std::string_view text);

}  // namespace lockstep
