#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

// Whole numbers as flags, environment variables and file names write them: decimal digits, no blanks, no plus. Nothing
// is returned for any other text and for a number that T does not hold. (Hyperparameters follow Python's grammar:
// base/python_number.h.)
namespace lockstep {

// Removes the digits at the front of the text and returns their number; leaves the text as it is if there is none.
template <std::integral T>
std::optional<T> take_digits(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return {};
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The number if the whole text is digits.
template <std::integral T>
std::optional<T> parse_digits(std::string_view text) {
  const std::optional<T> number = take_digits<T>(text);
  return text.empty() ? number : std::nullopt;
}

// The same with a minus before them, if T has negative numbers.
template <std::integral T>
std::optional<T> parse_whole(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace lockstep
