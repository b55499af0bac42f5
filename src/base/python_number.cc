#include "base/python_number.h"

#include <charconv>
#include <cstdlib>
#include <string>

namespace lockstep {
namespace {

bool is_space_of_c(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_space_of_c(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space_of_c(text.back())) text.remove_suffix(1);
  return text;
}

// text without its underscores, or nothing if one of them is not between two digits.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_ascii_digit(text[i - 1]) || !is_ascii_digit(text[i + 1])) {
      return {};
    }
  }
  return plain;
}

// A number's text in the form std::from_chars takes: no blanks, underscores or plus, at most a minus in front.
std::optional<std::string> normal_form(std::string_view text) {
  auto plain = without_underscores(stripped(text));
  if (!plain || plain->empty()) return {};
  const char sign = plain->front();
  if (sign == '+') plain->erase(0, 1);
  // After a sign comes a digit, a point or a word, not a second sign.
  const std::size_t after_sign = sign == '-' ? 1 : 0;
  if (plain->size() <= after_sign || (*plain)[after_sign] == '+') return {};
  if ((sign == '+' || sign == '-') && (*plain)[after_sign] == '-') return {};
  return plain;
}

}  // namespace

PythonInteger parse_python_integer(std::string_view text) {
  using Status = PythonInteger::Status;
  const auto plain = normal_form(text);
  if (!plain) return {};
  PythonInteger result;
  const char* const end = plain->data() + plain->size();
  const auto [stop, error] = std::from_chars(plain->data(), end, result.value);
  if (error == std::errc::invalid_argument || stop != end) return {};
  result.status = error == std::errc() ? Status::valid : Status::too_large;
  return result;
}

std::optional<double> parse_python_float(std::string_view text) {
  const auto plain = normal_form(text);
  // from_chars also takes C's "nan(...)".
  if (!plain || plain->find('(') != std::string::npos) return {};
  double value = 0;
  const char* const end = plain->data() + plain->size();
  const auto [stop, error] = std::from_chars(plain->data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return {};
  // Out of range: strtod says whether above or below.
  if (error == std::errc::result_out_of_range) return std::strtod(plain->c_str(), nullptr);
  return value;
}

}  // namespace lockstep
