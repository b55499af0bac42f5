#include "launch/readers/python_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/python_number.h"
#include "launch/readers/python_error.h"

namespace lockstep {
namespace {

// As Python writes it: no blanks, underscores, plus or zeros in front.
Json big_integer(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  }
  return BigInteger{text.find('-') == std::string_view::npos ? digits : "-" + digits};
}

Json int_of_text(const std::string& text) {
  const PythonInteger integer = parse_python_integer(text);
  if (integer.status == PythonInteger::Status::valid) return integer.value;
  if (integer.status == PythonInteger::Status::too_large) return big_integer(text);
  raise_value_error(fmt::format("invalid literal for int() with base 10: {}", python_quoted(text)));
}

Json int_of_number(double number) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  const double whole = std::trunc(number);
  if (whole >= -kBeyond && whole < kBeyond) return static_cast<std::int64_t>(whole);
  return BigInteger{fmt::format("{:.0f}", whole)};
}

std::string repr_of_list(const Json::Array& list) {
  std::string text;
  for (const Json& element : list) text += (text.empty() ? "" : ", ") + python_repr(element);
  return "[" + text + "]";
}

std::string repr_of_object(const Json::Object& object) {
  std::string text;
  for (const auto& [name, value] : object) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", python_quoted(name), python_repr(value));
  }
  return "{" + text + "}";
}

}  // namespace

std::string python_type(const Json& value) {
  constexpr const char* kNames[] = {"NoneType", "bool", "int", "float", "str", "list", "dict", "int"};
  static_assert(std::size(kNames) == std::variant_size_v<Json::Value>);
  return kNames[value.value().index()];
}

std::string python_repr(const Json& value) {
  if (const auto* truth = value.as<bool>()) return *truth ? "True" : "False";
  if (const auto* text = value.as<std::string>()) return python_quoted(*text);
  if (const auto* list = value.as<Json::Array>()) return repr_of_list(*list);
  if (const auto* object = value.as<Json::Object>()) return repr_of_object(*object);
  return value.as<std::monostate>() != nullptr ? "None" : value.text();
}

std::string python_str(const Json& value) {
  const auto* const text = value.as<std::string>();
  return text == nullptr ? python_repr(value) : *text;
}

bool python_truth(const Json& value) {
  return std::visit(
      [](const auto& held) {
        using T = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return false;
        } else if constexpr (std::is_same_v<T, BigInteger>) {
          return true;
        } else if constexpr (std::is_arithmetic_v<T>) {
          return held != T{};
        } else {
          return !held.empty();
        }
      },
      value.value());
}

bool is_text(const Json& value, std::string_view text) {
  const auto* const held = value.as<std::string>();
  return held != nullptr && *held == text;
}

Json python_int(const Json& value) {
  if (const auto* text = value.as<std::string>()) return int_of_text(*text);
  if (const auto* number = value.as<double>()) return int_of_number(*number);
  if (const auto* truth = value.as<bool>()) return std::int64_t{*truth};
  if (value.as<std::int64_t>() != nullptr || value.as<BigInteger>() != nullptr) return value;
  throw PythonError("TypeError",
                    fmt::format("int() argument must be a string, a bytes-like object or a real number, not '{}'",
                                python_type(value)));
}

int python_compare(const Json& integer, std::int64_t with) {
  if (const auto* const value = integer.as<std::int64_t>()) return *value < with ? -1 : *value > with ? 1 : 0;
  return integer.as<BigInteger>()->digits.starts_with('-') ? -1 : 1;
}

Json python_sum(const Json& integer, std::int64_t summand) {
  if (const auto* const value = integer.as<std::int64_t>()) return *value + summand;
  std::string digits = integer.as<BigInteger>()->digits;
  if (summand == 0) return integer;
  // One nearer to zero: the zeros at the end become nines, and the digit before them one less.
  const std::size_t last = digits.find_last_not_of('0');
  --digits[last];
  std::fill(digits.begin() + static_cast<std::ptrdiff_t>(last) + 1, digits.end(), '9');
  if (digits[1] == '0') digits.erase(1, 1);
  return BigInteger{digits};
}

const Json* python_get(const Json& value, std::string_view name) {
  if (value.as<Json::Object>() != nullptr) return value.find(name);
  throw PythonError("AttributeError", fmt::format("'{}' object has no attribute 'get'", python_type(value)));
}

Json python_get(const Json& value, std::string_view name, const Json& otherwise) {
  const Json* const found = python_get(value, name);
  return found == nullptr ? otherwise : *found;
}

bool python_contains(const Json& value, std::string_view name) {
  if (value.as<Json::Object>() != nullptr) return value.find(name) != nullptr;
  if (const auto* const text = value.as<std::string>()) return text->find(name) != std::string::npos;
  if (const auto* const list = value.as<Json::Array>()) {
    return std::ranges::any_of(*list, [&](const Json& element) { return is_text(element, name); });
  }
  throw PythonError("TypeError", fmt::format("argument of type '{}' is not iterable", python_type(value)));
}

const Json& python_item(const Json& value, std::string_view name) {
  if (const Json* const item = value.find(name)) return *item;
  throw PythonError("TypeError", value.as<std::string>() != nullptr
                                     ? "string indices must be integers, not 'str'"
                                     : "list indices must be integers or slices, not str");
}

}  // namespace lockstep
