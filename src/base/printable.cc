#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

enum class LineBreaks { stay, escaped };

unsigned byte_of(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// Bytes of the UTF-8 character that text begins with (RFC 3629, section 4); 0 if it begins with none. REQUIRES: not
// empty.
std::size_t character_bytes(std::string_view text) {
  const unsigned first = byte_of(text, 0);
  if (first < 0x80) return 1;
  std::size_t bytes = 2;
  if (first >= 0xE0) bytes = 3;
  if (first >= 0xF0) bytes = 4;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_of(text, i) & 0xC0U) != 0x80) return 0;
  }
  // Longer than needed, a surrogate, or beyond the last character.
  const unsigned second = byte_of(text, 1);
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : bytes;
}

// Whether a character of that many bytes steers a terminal: U+0000 to U+001F, and U+007F to U+009F.
bool is_control(std::string_view text, std::size_t bytes) {
  const unsigned first = byte_of(text, 0);
  if (bytes == 1) return first < 0x20 || first == 0x7F;
  return bytes == 2 && first == 0xC2 && byte_of(text, 1) < 0xA0;
}

// Whether a character of that many bytes turns the direction in which a terminal shows those around it, so that a text
// looks like another one: U+200E, U+200F, U+202A to U+202E, and U+2066 to U+2069.
bool turns_direction(std::string_view text, std::size_t bytes) {
  if (bytes != 3 || byte_of(text, 0) != 0xE2) return false;
  const unsigned second = byte_of(text, 1);
  const unsigned third = byte_of(text, 2);
  if (second == 0x80) return third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE);
  return second == 0x81 && third >= 0xA6 && third <= 0xA9;
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
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    const bool stays = line_breaks == LineBreaks::stay && (character == "\n" || character == "\t");
    if (bytes > 0 && (stays || (!is_control(text, bytes) && !turns_direction(text, bytes)))) {
      result += character;
    } else {
      append_escaped(result, character);
    }
    text.remove_prefix(character.size());
  }
  return result;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

// The beginning of text, of `most` bytes or the few less that leave no character cut in two. REQUIRES: text is longer.
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
