#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep {

// A JSON value (RFC 8259). Integers and numbers are told apart: 2 is an integer, 2.0 and 2e0 are numbers. The members
// of an object keep their order. A plain value; one thread at a time.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;
  using Value =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object>;  // monostate: null

  Json() = default;
  Json(Value value)
      : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): Json::Object{{"a", 1}} reads well

  const Value& value() const { return value_; }
  // The value if it is of that type, else null.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value_);
  }
  // The member of that name; null if there is none or this is no object.
  const Json* find(std::string_view name) const;

  // One line, numbers with their point (2.0) and enough digits to read the same float64 back. What JSON cannot write
  // becomes a text: "nan", "inf", "-inf". Throws std::invalid_argument if a text is not UTF-8.
  std::string text() const;

 private:
  Value value_;
};

// Reads one JSON value and nothing behind it. Refuses what others lose silently: a name twice in an object, integers
// beyond 64 bits, more than kMostDepth levels. Throws JsonError: what is wrong, and where if the text is no JSON.
class JsonError : public std::exception {
 public:
  explicit JsonError(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};
inline constexpr int kMostJsonDepth = 32;
Json parse_json(std::string_view text);

}  // namespace lockstep
