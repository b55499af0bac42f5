#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace lockstep {

// The unit of text that is a symbol.
enum class TextUnit {
  character,  // a code point
  word,       // text between white space (ASCII's); and each line end, which is a symbol of its own
  byte,
};
inline constexpr std::array kAllTextUnits{TextUnit::character, TextUnit::word, TextUnit::byte};
const char* name(TextUnit unit);
// The unit of that name; none if there is none.
std::optional<TextUnit> text_unit_of(std::string_view wanted);

// Removes the first unit of the text, and the blanks before a word, and returns the unit; "" if there is none left.
// REQUIRES: the text is UTF-8, unless bytes are taken.
std::string_view take_unit(TextUnit unit, std::string_view& text);

}  // namespace lockstep
