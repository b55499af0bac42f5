#include "data/sequences/text_unit.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace lockstep {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kWordEnds = " \t\r\v\f\n";

std::string_view take_bytes(std::string_view& text, std::size_t bytes) {
  const std::string_view taken = text.substr(0, bytes);
  text.remove_prefix(taken.size());
  return taken;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return take_bytes(text, text.starts_with('\n') ? 1 : text.find_first_of(kWordEnds));
}

}  // namespace

const char* name(TextUnit unit) {
  switch (unit) {
    case TextUnit::character:
      return "character";
    case TextUnit::word:
      return "word";
    case TextUnit::byte:
      return "byte";
  }
  return "";
}

std::optional<TextUnit> text_unit_of(std::string_view wanted) {
  for (const TextUnit unit : kAllTextUnits) {
    if (name(unit) == wanted) return unit;
  }
  return std::nullopt;
}

std::string_view take_unit(TextUnit unit, std::string_view& text) {
  if (unit == TextUnit::word) return take_word(text);
  if (unit == TextUnit::byte || text.empty()) return take_bytes(text, 1);
  const std::size_t bytes = first_character(text).bytes;
  LS_CHECK(bytes > 0, "a text that was not checked: it is not UTF-8");
  return take_bytes(text, bytes);
}

}  // namespace lockstep
