// The one place that includes nlohmann/json. Its event interface is used and not its tree, because the tree keeps the
// last of two equal names and turns large integers into numbers, both silently.
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace lockstep {
namespace {

using Nlohmann = nlohmann::json;

// Builds the value while the parser walks through the text.
class Reader final : public nlohmann::json_sax<Nlohmann> {
 public:
  Json take() { return std::move(root_); }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse_size(std::to_string(value), static_cast<double>(value));
    }
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (text.find_first_of(".eE") == std::string::npos) refuse_size(text, value);
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { throw JsonError("it is binary data, not JSON"); }

  bool start_object(std::size_t /*elements*/) override { return open(Json::Object()); }
  bool key(string_t& name) override {
    if (!levels_.back().names.insert(name).second) {
      throw JsonError(fmt::format("'{}' stands in it twice; keep one", name));
    }
    levels_.back().name = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::Array()); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& /*token*/, const Nlohmann::exception& error) override {
    // Without the library's "[json.exception.parse_error.101] parse error at line 1, column 5: " in front.
    std::string_view reason = error.what();
    for (std::string_view skipped : {std::string_view("] "), std::string_view(": ")}) {
      if (const auto at = reason.find(skipped); at != std::string_view::npos) reason.remove_prefix(at + skipped.size());
    }
    throw JsonError(fmt::format("it is not JSON at character {}: {}", position, reason));
  }

 private:
  // A list or an object that is being read.
  struct Level {
    std::variant<Json::Array, Json::Object> elements;
    std::string name{};  // of the member that comes next
    std::set<std::string, std::less<>> names{};
  };

  bool add(Json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
    } else if (auto* const list = std::get_if<Json::Array>(&levels_.back().elements)) {
      list->push_back(std::move(value));
    } else {
      std::get<Json::Object>(levels_.back().elements).emplace_back(std::move(levels_.back().name), std::move(value));
    }
    return true;
  }
  bool open(std::variant<Json::Array, Json::Object> elements) {
    const bool too_deep = levels_.size() == kMostJsonDepth;
    levels_.push_back({.elements = std::move(elements)});
    if (too_deep) {
      while (!levels_.empty()) close();
      throw JsonError(fmt::format("it has more than {} levels of lists and objects in each other", kMostJsonDepth),
                      std::move(root_));
    }
    return true;
  }
  bool close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    return std::visit([&](auto&& elements) { return add(std::forward<decltype(elements)>(elements)); },
                      std::move(level.elements));
  }

  [[noreturn]] void refuse_size(const std::string& text, double about) {
    constexpr const char* kWhy = "beyond the 64 bits of an integer";
    if (levels_.empty()) throw JsonError(fmt::format("its value is {}, {}", text, kWhy), about);
    const auto named = std::ranges::find_if(levels_.rbegin(), levels_.rend(), [](const Level& level) {
      return std::holds_alternative<Json::Object>(level.elements);
    });
    const std::string who = named == levels_.rend() ? "an element" : fmt::format("'{}'", named->name);
    throw JsonError(fmt::format("{} has the value {}, {}", who, text, kWhy));
  }

  Json root_;
  std::vector<Level> levels_;
};

std::string text_of(std::monostate /*null*/) { return "null"; }
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}
std::string text_of(const std::string& value) {
  try {
    return Nlohmann(value).dump();
  } catch (const Nlohmann::type_error&) {  // the only thing dump() refuses
    throw std::invalid_argument("a text is not UTF-8, and so cannot be written as JSON");
  }
}
std::string text_of(const Json::Array& list) {
  std::string text;
  for (const Json& element : list) text += (text.empty() ? "" : ",") + element.text();
  return "[" + text + "]";
}
std::string text_of(const Json::Object& object) {
  std::string text;
  for (const auto& [name, value] : object) text += (text.empty() ? "" : ",") + text_of(name) + ":" + value.text();
  return "{" + text + "}";
}

}  // namespace

const Json* Json::find(std::string_view name) const {
  const auto* const object = as<Object>();
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, name, &Member::first);
  return found == object->end() ? nullptr : &found->second;
}

std::string Json::text() const {
  return std::visit([](const auto& value) { return text_of(value); }, value_);
}

Json parse_json(std::string_view text) {
  Reader reader;
  Nlohmann::sax_parse(text, &reader);  // the reader throws on everything it refuses
  return reader.take();
}

}  // namespace lockstep
