#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace lockstep {
namespace {

enum class LineBreaks { stay, escaped };

// Returns whether a character steers a terminal.
bool is_control(char32_t character) { return character < 0x20 || (character >= 0x7F && character <= 0x9F); }

// Returns whether a character turns the direction in which a terminal shows those around it, so that a text looks like
// another one.
bool turns_direction(char32_t character) {
  return character == 0x200E || character == 0x200F || (character >= 0x202A && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069);
}

void append_escaped(std::string& result, std::string_view character) {
  if (character == "\n") {
    result += "\\n";
  } else if (character == "\t") {
    result += "\\t";
  } else if (character == "\r") {
    result += "\\r";
  } else {
    for (const char c : character) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

std::string with_escapes(std::string_view text, LineBreaks line_breaks) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [code_point, bytes] = first_character(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    const bool stays = line_breaks == LineBreaks::stay && (character == "\n" || character == "\t");
    if (bytes > 0 && (stays || (!is_control(code_point) && !turns_direction(code_point)))) {
      result += character;
    } else {
      append_escaped(result, character);
    }
    text.remove_prefix(character.size());
  }
  return result;
}

// The first `most` bytes of text, or a few less so that no character is cut in two. REQUIRES: text is longer.
std::string_view first_bytes(std::string_view text, std::size_t most) {
  std::size_t end = most;
  while (end > 0 && most - end < 3 && continues_character(text[end])) --end;
  return text.substr(0, end);
}

std::string_view last_bytes(std::string_view text, std::size_t most) {
  std::size_t begin = text.size() - most;
  while (begin < text.size() && begin + most < text.size() + 3 && continues_character(text[begin])) ++begin;
  return text.substr(begin);
}

}  // namespace

std::string escaped(std::string_view text) {
  if (text.size() <= kMaxEscapedBytes) return with_escapes(text, LineBreaks::escaped);
  return fmt::format("{}... ({} bytes)", with_escapes(first_bytes(text, kMaxEscapedBytes), LineBreaks::escaped),
                     text.size());
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", escaped(text)); }

std::string printable_message(std::string_view message, std::size_t most) {
  if (message.size() <= most) return with_escapes(message, LineBreaks::stay);
  const std::string_view end = last_bytes(message, most / 4);
  const std::string_view begin = first_bytes(message, most - most / 4);
  return fmt::format("{} ... ({} bytes left out) ... {}", with_escapes(begin, LineBreaks::stay),
                     message.size() - begin.size() - end.size(), with_escapes(end, LineBreaks::stay));
}

}  // namespace lockstep
