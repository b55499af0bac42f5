#include "base/hparams_json.h"

#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"

namespace lockstep {
namespace {

enum class EmptyList { refused, of_integers };

// Converts one flat JSON object to hparams; a message about other JSON says what it is.
class FlatReader {
 public:
  FlatReader(std::string_view source, EmptyList empty_list) : source_(source), empty_list_(empty_list) {}

  OrderedHParams read(const Json& json) const {
    const auto* const object = json.as<Json::Object>();
    if (object == nullptr) refuse(fmt::format("it is {}, not an object", kind(json)));
    OrderedHParams result;
    for (const auto& [name, value] : *object) {
      result.names.push_back(name);
      std::visit([&, &name = name](const auto& typed) { add(result.hparams, name, typed); }, value.value());
    }
    return result;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ExitCode::usage,
                fmt::format(R"({}: {}; expected one flat JSON object, such as {{"hidden_size": 512, "dropout": 0.1}})",
                            source_, why),
                Scope::every_rank);
  }

 private:
  static const char* kind(const Json& json) {
    if (json.as<std::monostate>() != nullptr) return "null";
    if (json.as<double>() != nullptr) return "a number";
    return json.as<Json::Array>() != nullptr ? "a list" : "a single value";
  }

  void add(HParams& /*hparams*/, const std::string& /*name*/, std::monostate /*null*/) const {}
  template <class T>
  void add(HParams& hparams, const std::string& name, const T& value) const {
    hparams.set(name, value);
  }
  void add(HParams& /*hparams*/, const std::string& name, const Json::Object& /*object*/) const { refuse_object(name); }
  void add(HParams& /*hparams*/, const std::string& name, const BigInteger& value) const { refuse_size(name, value); }
  void add(HParams& hparams, const std::string& name, const Json::Array& list) const {
    for (const Json& element : list) {
      if (element.as<std::monostate>() != nullptr) refuse(fmt::format("'{}' is a list with a null in it", name));
      if (element.as<Json::Array>() != nullptr) refuse(fmt::format("the value of '{}' is a list in a list", name));
      if (element.as<Json::Object>() != nullptr) refuse_object(name);
      if (const auto* const large = element.as<BigInteger>()) refuse_size(name, *large);
      if (element.value().index() != list.front().value().index()) {
        refuse(fmt::format("the list '{}' mixes types", name));
      }
    }
    if (list.empty() && empty_list_ == EmptyList::refused) {
      // T2T's message.
      refuse(fmt::format("Multi-valued hyperparameters cannot be empty: {} (its elements would give the type)", name));
    }
    const Json::Value first = list.empty() ? std::int64_t{0} : list.front().value();
    std::visit(
        [&]<class T>(const T& /*of this type*/) {
          if constexpr (std::is_constructible_v<HParams::Value, std::vector<T>>) {
            std::vector<T> elements;
            for (const Json& element : list) elements.push_back(*element.as<T>());
            hparams.set(name, std::move(elements));
          }
        },
        first);
  }
  [[noreturn]] void refuse_object(const std::string& name) const {
    refuse(fmt::format("the value of '{}' is or holds an object; the base is flat", name));
  }

  [[noreturn]] void refuse_size(const std::string& name, const BigInteger& value) const {
    refuse(fmt::format("'{}' has the value {}, beyond the 64 bits of an integer", name, value.digits));
  }

  std::string source_;
  EmptyList empty_list_;
};

Json value_of(const HParams::Value& value) {
  return std::visit(
      []<class T>(const T& typed) -> Json {
        if constexpr (std::is_constructible_v<Json, T>) {
          return typed;
        } else {
          Json::Array list;
          for (const auto& element : typed) list.emplace_back(typename T::value_type(element));
          return list;
        }
      },
      value);
}

}  // namespace

OrderedHParams hparams_from_json(std::string_view text, std::string_view source) {
  const FlatReader reader(source, EmptyList::refused);
  try {
    return reader.read(parse_json(text));
  } catch (const JsonError& error) {
    if (error.reached().as<std::monostate>() == nullptr) reader.read(error.reached());
    reader.refuse(error.what());
  }
}

HParams hparam_values(const Json& object, std::string_view source) {
  return FlatReader(source, EmptyList::of_integers).read(object).hparams;
}

std::string hparams_to_json(const OrderedHParams& ordered) {
  Json::Object object;
  for (const std::string& name : ordered.names) {
    const auto found = ordered.hparams.values().find(name);
    object.emplace_back(name, found == ordered.hparams.values().end() ? Json() : value_of(found->second));
  }
  try {
    return Json(std::move(object)).text();
  } catch (const std::invalid_argument&) {
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
