// The one place that includes nlohmann/json. Its event interface is used and not its tree, because the tree keeps the
// last of two equal names and turns large integers into numbers, both silently.
#include "launch/hparams_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/error.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// Builds the hparams while the parser walks through the text.
class HParamsReader final : public nlohmann::json_sax<Json> {
 public:
  explicit HParamsReader(std::string_view flag) : flag_(flag) {}

  OrderedHParams take() { return std::move(result_); }

  bool null() override {
    check_inside("null");
    if (in_list_) refuse(fmt::format("'{}' is a list with a null in it", names().back()));
    return true;
  }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      refuse_size(std::to_string(value));
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (text.find_first_of(".eE") == std::string::npos) refuse_size(text);
    return add(value);
  }
  bool string(string_t& value) override { return add(value); }
  bool binary(binary_t& /*value*/) override { refuse("binary data"); }

  bool start_object(std::size_t /*elements*/) override {
    if (in_object_) refuse(fmt::format("the value of '{}' is or holds an object; the base is flat", names().back()));
    if (in_list_) refuse("it is a list, not an object");
    in_object_ = true;
    return true;
  }
  bool key(string_t& name) override {
    if (!seen_.insert(name).second) refuse(fmt::format("'{}' stands in it twice; keep one", name));
    names().push_back(name);
    return true;
  }
  bool end_object() override { return true; }

  bool start_array(std::size_t /*elements*/) override {
    check_inside("a list");
    if (in_list_) refuse(fmt::format("the value of '{}' is a list in a list", names().back()));
    in_list_ = true;
    return true;
  }
  bool end_array() override {
    in_list_ = false;
    // T2T's words for it.
    if (!list_) {
      refuse(fmt::format("Multi-valued hyperparameters cannot be empty: {} (its elements would give the type)",
                         names().back()));
    }
    result_.hparams.set(names().back(), std::move(*list_));
    list_.reset();
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/, const Json::exception& error) override {
    // Without the library's "[json.exception.parse_error.101] parse error at line 1, column 5: " in front.
    std::string_view reason = error.what();
    for (std::string_view skipped : {std::string_view("] "), std::string_view(": ")}) {
      if (const auto at = reason.find(skipped); at != std::string_view::npos) reason.remove_prefix(at + skipped.size());
    }
    refuse(fmt::format("it is not JSON at character {}: {}", position, reason));
  }

 private:
  std::vector<std::string>& names() { return result_.names; }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ExitCode::usage,
                fmt::format(R"({}: {}; expected one flat JSON object, such as {{"hidden_size": 512, "dropout": 0.1}})",
                            flag_, why),
                Scope::every_rank);
  }
  [[noreturn]] void refuse_size(const std::string& text) {
    check_inside("a number");
    refuse(fmt::format("'{}' has the value {}, beyond the 64 bits of an integer", names().back(), text));
  }
  void check_inside(const char* what) const {
    if (!in_object_) refuse(fmt::format("it is {}, not an object", what));
  }

  template <class T>
  bool add(T value) {
    check_inside("a single value");
    if (!in_list_) {
      result_.hparams.set(names().back(), std::move(value));
      return true;
    }
    if (!list_) list_ = std::vector<T>();
    auto* const list = std::get_if<std::vector<T>>(&*list_);
    if (list == nullptr) refuse(fmt::format("the list '{}' mixes types", names().back()));
    list->push_back(std::move(value));
    return true;
  }

  std::string flag_;
  OrderedHParams result_;
  std::set<std::string, std::less<>> seen_;
  std::optional<HParams::Value> list_;  // the list being read
  bool in_object_ = false;
  bool in_list_ = false;
};

Json to_json(std::int64_t value) { return value; }
Json to_json(bool value) { return value; }
Json to_json(const std::string& value) { return value; }
Json to_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}
template <class T>
Json to_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

}  // namespace

OrderedHParams hparams_from_json(std::string_view text, std::string_view flag) {
  HParamsReader reader(flag);
  Json::sax_parse(text, &reader);  // the reader throws on everything it refuses
  return reader.take();
}

std::string hparams_to_json(const OrderedHParams& ordered) {
  Json object = Json::object();
  for (const std::string& name : ordered.names) {
    const auto found = ordered.hparams.values().find(name);
    object[name] = found == ordered.hparams.values().end()
                       ? Json(nullptr)
                       : std::visit([](const auto& value) { return to_json(value); }, found->second);
  }
  try {
    return object.dump();
  } catch (const Json::type_error&) {  // the only thing dump() refuses
    throw Error(ExitCode::usage, "a hyperparameter's text is not UTF-8, and so cannot be written as JSON",
                Scope::every_rank);
  }
}

std::string hparams_to_json(const HParams& hparams) {
  OrderedHParams ordered{hparams, {}};
  for (const auto& [name, value] : hparams.values()) ordered.names.push_back(name);
  return hparams_to_json(ordered);
}

}  // namespace lockstep
