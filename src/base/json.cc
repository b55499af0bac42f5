// The only file that includes nlohmann/json. It uses the event interface rather than the tree, because the tree keeps
// the last of two equal names and turns large integers into numbers, both silently.
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/json_place.h"

namespace lockstep {
namespace {

using Nlohmann = nlohmann::json;

// Builds the value while the parser walks through the text.
class Reader final : public nlohmann::json_sax<Nlohmann> {
 public:
  explicit Reader(JsonMode mode) : mode_(mode) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return add_big(std::to_string(value));
    }
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (text.find_first_of(".eE") == std::string::npos) return add_big(text);
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { throw JsonError("it is binary data, not JSON"); }

  bool start_object(std::size_t /*elements*/) override { return open(Json::Object()); }
  bool key(string_t& name) override {
    levels_.back().name = std::move(name);
    if (levels_.back().names.insert(levels_.back().name).second) return true;
    if (mode_ == JsonMode::strict) throw JsonError(fmt::format("'{}' stands in it twice; keep one", path()));
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::Array()); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& /*token*/, const Nlohmann::exception& error) override {
    // Drops the library's prefix "[json.exception.parse_error.101] parse error at line 1, column 5: ".
    std::string_view reason = error.what();
    for (std::string_view skipped : {std::string_view("] "), std::string_view(": ")}) {
      if (const auto at = reason.find(skipped); at != std::string_view::npos) reason.remove_prefix(at + skipped.size());
    }
    throw JsonError(fmt::format("it is not JSON at character {}: {}", position, reason));
  }

 private:
  // A list or an object being read.
  struct Level {
    std::variant<Json::Array, Json::Object> elements;
    std::string name{};  // name of the next member
    std::set<std::string, std::less<>> names{};
  };

  bool add(Json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
    } else if (auto* const list = std::get_if<Json::Array>(&levels_.back().elements)) {
      list->push_back(std::move(value));
    } else {
      add_member(levels_.back(), std::move(value));
    }
    return true;
  }
  static void add_member(Level& level, Json value) {
    auto& members = std::get<Json::Object>(level.elements);
    if (level.names.size() > members.size()) {
      members.emplace_back(std::move(level.name), std::move(value));
    } else {  // the name is there already
      std::ranges::find(members, level.name, &Json::Member::first)->second = std::move(value);
    }
  }
  bool add_big(const std::string& digits) {
    BigInteger integer{digits};
    if (mode_ == JsonMode::tolerant) return add(std::move(integer));
    constexpr const char* kWhy = "beyond the 64 bits of an integer";
    if (levels_.empty()) throw JsonError(fmt::format("its value is {}, {}", digits, kWhy), integer.nearest());
    throw JsonError(fmt::format("'{}' has the value {}, {}", path(), digits, kWhy));
  }
  bool open(std::variant<Json::Array, Json::Object> elements) {
    const bool too_deep = levels_.size() == kMaxJsonDepth;
    levels_.push_back({.elements = std::move(elements)});
    if (too_deep) {
      while (!levels_.empty()) close();
      throw JsonError(fmt::format("it has more than {} levels of lists and objects in each other", kMaxJsonDepth),
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

  // Path of the value being read.
  std::string path() const {
    std::string path;
    for (const Level& level : levels_) {
      const auto* const list = std::get_if<Json::Array>(&level.elements);
      path = list == nullptr ? member_path(path, level.name) : element_path(path, list->size());
    }
    return path;
  }

  JsonMode mode_;
  Json root_;
  std::vector<Level> levels_;
};

// Writes a value and the values in it.
class Writer {
 public:
  explicit Writer(Json::Form form) : readable_(form == Json::Form::readable) {}

  std::string take() { return std::move(text_); }

  void operator()(std::monostate /*null*/) { text_ += "null"; }
  void operator()(bool value) { text_ += value ? "true" : "false"; }
  void operator()(std::int64_t value) { text_ += std::to_string(value); }
  void operator()(double value) {
    if (!std::isfinite(value)) {
      text_ += readable_ ? "null" : std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
      return;
    }
    const std::string digits = fmt::format("{}", value);
    text_ += digits;
    if (!readable_ && digits.find_first_of(".e") == std::string::npos) text_ += ".0";
  }
  void operator()(const std::string& value) {
    try {
      text_ += Nlohmann(value).dump();
    } catch (const Nlohmann::type_error&) {  // the only thing dump() refuses
      throw std::invalid_argument("a text is not UTF-8, and so cannot be written as JSON");
    }
  }
  void operator()(const BigInteger& value) { text_ += value.digits; }
  void operator()(const Json::Array& list) {
    text_ += '[';
    for (const Json& element : list) {
      if (&element != &list.front()) comma();
      std::visit(*this, element.value());
    }
    text_ += ']';
  }
  void operator()(const Json::Object& object) {
    text_ += '{';
    for (const auto& member : object) {
      if (&member != &object.front()) comma();
      (*this)(member.first);
      text_ += readable_ ? ": " : ":";
      std::visit(*this, member.second.value());
    }
    text_ += '}';
  }

 private:
  void comma() { text_ += readable_ ? ", " : ","; }

  std::string text_;
  bool readable_;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  const auto* const object = as<Object>();
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, name, &Member::first);
  return found == object->end() ? nullptr : &found->second;
}

std::string Json::text(Form form) const {
  Writer writer(form);
  std::visit(writer, value_);
  return writer.take();
}

double BigInteger::nearest() const { return std::strtod(digits.c_str(), nullptr); }

Json parse_json(std::string_view text, JsonMode mode) {
  Reader reader(mode);
  Nlohmann::sax_parse(text, &reader);  // the reader throws on everything it refuses
  return reader.take();
}

}  // namespace lockstep
