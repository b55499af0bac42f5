#include "base/hparams.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

// The type of a value, in the order of HParams::Value's alternatives.
const char* type_text(const HParams::Value& value) {
  constexpr const char* kTexts[] = {"an integer",         "a number",          "true or false",      "a text",
                                    "a list of integers", "a list of numbers", "a list of booleans", "a list of texts"};
  static_assert(std::size(kTexts) == std::variant_size_v<HParams::Value>);
  return kTexts[value.index()];
}

using Values = std::map<std::string, HParams::Value, std::less<>>;

const HParams::Value& find(const Values& values, std::string_view name) {
  if (const auto found = values.find(name); found != values.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [each, value] : values) names.push_back(each);
  throw Error(ExitCode::usage,
              fmt::format("hparam '{}' is needed, but this set of hparams does not have it{}; choose another one with "
                          "--hparams_set",
                          name, did_you_mean(name, names)),
              Scope::every_rank);
}

[[noreturn]] void refuse_type(std::string_view name, const HParams::Value& value, const HParams::Value& wanted) {
  throw Error(ExitCode::usage,
              fmt::format("hparam '{}' is {} in this set of hparams, but {} is needed; choose another one with "
                          "--hparams_set",
                          name, type_text(value), type_text(wanted)),
              Scope::every_rank);
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

bool HParams::has(std::string_view name) const { return values_.contains(name); }

std::int64_t HParams::integer(std::string_view name) const { return get<std::int64_t>(values_, name); }

double HParams::number(std::string_view name) const {
  const Value& value = find(values_, name);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return get<double>(values_, name);
}

bool HParams::boolean(std::string_view name) const { return get<bool>(values_, name); }

const std::string& HParams::text(std::string_view name) const { return get<std::string>(values_, name); }

}  // namespace lockstep
