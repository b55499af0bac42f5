#include "base/json_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/printable.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxShownBytes = 60;

bool is_plain(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '/';
  };
  return !name.empty() && name.size() <= kMaxShownBytes && std::ranges::all_of(name, plain);
}

}  // namespace

std::string shortened(const Json& json) {
  std::string text;
  try {
    text = json.text();
  } catch (const std::invalid_argument&) {  // not UTF-8: made by a program, not parsed
    return "a text that is not UTF-8";
  }
  if (text.size() <= kMaxShownBytes) return text;
  if (json.as<Json::Object>() != nullptr) return "an object";
  if (json.as<Json::Array>() != nullptr) return "a list";
  return json.as<std::string>() != nullptr ? "a text" : "a number";
}

std::string member_path(std::string_view path, std::string_view name) {
  if (!is_plain(name)) return fmt::format("{}[\"{}\"]", path, escaped(name));
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string element_path(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

void JsonPlace::refuse(const std::string& why) const {
  throw JsonError(path_.empty() ? why : fmt::format("{}: {}", path_, why));
}

template <class T>
const T& JsonPlace::expect(const char* what) const {
  const T* const value = json_->as<T>();
  if (value == nullptr) refuse(fmt::format("expected {}, found {}", what, shortened(*json_)));
  return *value;
}

const std::string& JsonPlace::text() const { return expect<std::string>("a text"); }
bool JsonPlace::truth() const { return expect<bool>("true or false"); }
std::int64_t JsonPlace::integer() const { return expect<std::int64_t>("a whole number of at most 64 bits"); }

double JsonPlace::number() const {
  if (const auto* integer = json_->as<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* integer = json_->as<BigInteger>()) return integer->nearest();
  return expect<double>("a number");
}

JsonPlace JsonPlace::member(std::string_view name) const {
  const std::optional<JsonPlace> found = find(name);
  if (!found) refuse(fmt::format("'{}' is missing", name));
  return *found;
}

std::optional<JsonPlace> JsonPlace::find(std::string_view name) const {
  expect<Json::Object>("an object");
  const Json* const found = json_->find(name);
  if (found == nullptr) return {};
  return JsonPlace(*found, member_path(path_, name));
}

std::vector<std::pair<std::string, JsonPlace>> JsonPlace::members() const {
  std::vector<std::pair<std::string, JsonPlace>> result;
  for (const auto& [name, value] : expect<Json::Object>("an object")) {
    result.emplace_back(name, JsonPlace(value, member_path(path_, name)));
  }
  return result;
}

std::vector<JsonPlace> JsonPlace::elements() const {
  std::vector<JsonPlace> result;
  for (const Json& element : expect<Json::Array>("a list")) {
    result.emplace_back(element, element_path(path_, result.size()));
  }
  return result;
}

}  // namespace lockstep
