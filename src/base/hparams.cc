#include "base/hparams.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

// The name of a value's type, in the order of HParams::Value's alternatives.
const char* type_text(const HParams::Value& value) {
  constexpr const char* kTexts[] = {"an integer",         "a number",          "true or false",      "a text",
                                    "a list of integers", "a list of numbers", "a list of booleans", "a list of texts"};
  static_assert(std::size(kTexts) == std::variant_size_v<HParams::Value>);
  return kTexts[value.index()];
}

using Values = std::map<std::string, HParams::Value, std::less<>>;

std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

const HParams::Value& find(const Values& values, std::string_view name) {
  if (const auto found = values.find(name); found != values.end()) return found->second;
  throw Error(ExitCode::usage,
              fmt::format("hparam '{}' is missing from this set of hparams{}; name the set's model with --model, or "
                          "give another set with --hparams_set",
                          name, did_you_mean(name, names_of(values))),
              Scope::every_rank);
}

[[noreturn]] void refuse_type(std::string_view name, const HParams::Value& value, const HParams::Value& wanted) {
  throw Error(ExitCode::usage,
              fmt::format("hparam '{}' is {} in this set of hparams, but {} is needed; choose another one with "
                          "--hparams_set",
                          name, type_text(value), type_text(wanted)),
              Scope::every_rank);
}

// Converts value to the type of `like`; returns nothing if it cannot.
template <class T>
std::optional<T> converted(const HParams::Value& value, const T& /*like*/) {
  if (const T* const typed = std::get_if<T>(&value)) return *typed;
  if constexpr (std::is_same_v<T, double>) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (const auto* const integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    const auto* const text = std::get_if<std::string>(&value);
    if (text == nullptr) return {};
    if (*text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (*text == "inf") return kInfinity;
    if (*text == "-inf") return -kInfinity;
  }
  return {};
}
template <class T>
std::optional<std::vector<T>> converted(const HParams::Value& value, const std::vector<T>& /*like*/) {
  return std::visit(
      []<class Given>(const Given& given) -> std::optional<std::vector<T>> {
        std::vector<T> result;
        if constexpr (requires { typename Given::allocator_type; } && !std::is_same_v<Given, std::string>) {
          for (const auto& each : given) {
            const auto element = converted(HParams::Value(typename Given::value_type(each)), T{});
            if (!element) return {};
            result.push_back(*element);
          }
          return result;
        }
        return {};
      },
      value);
}

template <class T>
const T& get(const Values& values, std::string_view name) {
  const HParams::Value& value = find(values, name);
  if (const T* typed = std::get_if<T>(&value)) return *typed;
  refuse_type(name, value, T{});
}

}  // namespace

HParams& HParams::set(const std::string& name, Value value) {
  values_.insert_or_assign(name, std::move(value));
  return *this;
}

HParams& HParams::set(const HParams& others) {
  for (const auto& [name, value] : others.values_) set(name, value);
  return *this;
}

bool HParams::has(std::string_view name) const { return values_.contains(name); }

std::int64_t HParams::integer(std::string_view name) const { return get<std::int64_t>(values_, name); }

double HParams::number(std::string_view name) const {
  const Value& value = find(values_, name);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return get<double>(values_, name);
}

bool HParams::boolean(std::string_view name) const { return get<bool>(values_, name); }

const std::string& HParams::text(std::string_view name) const { return get<std::string>(values_, name); }

void HParams::override_with(const HParams& values, std::string_view source) {
  Values result = values_;
  for (const auto& [name, given] : values.values_) {
    const auto found = result.find(name);
    if (found == result.end()) {
      throw Error(ExitCode::usage,
                  fmt::format("{}: this set of hparams has no '{}'{}; --print_hparams shows what it has", source, name,
                              did_you_mean(name, names_of(values_))),
                  Scope::every_rank);
    }
    const auto fit = [&, &name = name, &given = given](auto& current) {
      auto value = converted(given, current);
      if (!value) {
        throw Error(ExitCode::usage,
                    fmt::format("{}: hparam '{}' is {}, but {} is needed", source, name, type_text(given),
                                type_text(Value(current))),
                    Scope::every_rank);
      }
      current = std::move(*value);
    };
    std::visit(fit, found->second);
  }
  values_ = std::move(result);
}

}  // namespace lockstep
