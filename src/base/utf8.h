#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// UTF-8, strictly as in RFC 3629: a character that is written longer than needed, half of a surrogate pair, a number
// beyond U+10FFFF and a sequence that is cut off are errors. Pure; any thread.
namespace lockstep {

struct Utf8Character {
  char32_t code_point = 0;
  std::size_t bytes = 0;  // 1 to 4; 0: no character
};

// The character that the text begins with; of 0 bytes if the text is empty or begins with what is not UTF-8.
Utf8Character first_character(std::string_view text);

// Whether the byte is a character's second or a later one.
inline bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; }

// The place of the first byte that begins no character; none if all of the text is UTF-8.
std::optional<std::size_t> find_non_utf8(std::string_view text);

}  // namespace lockstep
