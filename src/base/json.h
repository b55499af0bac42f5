#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep {

// An integer beyond 64 bits, kept as it was written: "-99999999999999999999".
struct BigInteger {
  std::string digits;
  double nearest() const;  // the nearest float64
  bool operator==(const BigInteger&) const = default;
};

// A JSON value (RFC 8259). Integers and numbers are distinct: 2 is an integer, 2.0 and 2e0 are numbers. The members
// of an object keep their order. A plain value; one thread at a time.
class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object,
                             BigInteger>;  // monostate: null

  Json() = default;
  // A value of anything that can initialize one of Value's types: Json::Object{{"step", 3}, {"model", "mlp"}}.
  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Json> && std::is_constructible_v<Value, T>)
  Json(T&& value)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload): reads as JSON does
      : value_(std::forward<T>(value)) {}

  const Value& value() const { return value_; }
  // The value if it is of that type, else a null pointer.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value_);
  }
  // The member of that name; a null pointer if there is none or this is not an object.
  const Json* find(std::string_view name) const;

  // One line, with enough digits to read the same float64 back. Throws std::invalid_argument if a text is not UTF-8.
  enum class Form {
    typed,     // numbers keep their point (2.0), and what JSON cannot write becomes a text: "nan", "inf", "-inf"
    readable,  // a blank after each comma and colon; 2.0 is 2, and what JSON cannot write is null
  };
  std::string text(Form form = Form::typed) const;

  bool operator==(const Json&) const = default;

 private:
  Value value_;
};

// Thrown by parse_json() and JsonPlace. what(): why the text is refused and, if one place in it is wrong, which.
class JsonError : public std::exception {
 public:
  explicit JsonError(std::string why, Json reached = {}) : why_(std::move(why)), reached_(std::move(reached)) {}
  const char* what() const noexcept override { return why_.c_str(); }
  // The value read so far if the text is nested too deeply, or the nearest number if the text is just a number that is
  // too large, for a caller that expects something of another form anyway and says so. Else a null.
  const Json& reached() const { return reached_; }

 private:
  std::string why_;
  Json reached_;
};

inline constexpr int kMaxJsonDepth = 32;  // levels of lists and objects in each other

enum class JsonMode {
  strict,    // refuses what others lose silently: a name twice in an object, integers beyond 64 bits
  tolerant,  // Python's rules: of equal names the last value counts, larger integers are kept (BigInteger)
};

// Reads exactly one JSON value, of at most kMaxJsonDepth levels. Throws JsonError with the path of the value
// ("cluster.worker[2]": base/json_place.h) or, if the text is not JSON, with the character.
Json parse_json(std::string_view text, JsonMode mode = JsonMode::strict);

}  // namespace lockstep
