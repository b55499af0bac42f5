#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep {

// A named set of typed hyperparameters, with tensor2tensor's grammar for overrides: "name=value,name=[v,v],...".
//
// A value's type is fixed when the set is made; overrides change values, never types, and refuse names that the set
// does not have. A plain value; one thread at a time.
class HParams {
 public:
  using Value = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, std::vector<double>,
                             std::vector<bool>, std::vector<std::string>>;

  // Adds a hyperparameter, or replaces its value and type. For code that makes sets.
  HParams& set(const std::string& name, Value value);
  // The same for each hyperparameter of another set.
  HParams& set(const HParams& others);

  bool has(std::string_view name) const;
  const std::map<std::string, Value, std::less<>>& values() const { return values_; }

  // The value of a hyperparameter of exactly that type (an integer may be read as a number). A name that the set does
  // not have or another type is an Error(usage): a model asks for hparams that its sets must have.
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;

  // Wording of the errors for an override that cannot be read or has an unknown name: tensor2tensor's, as its users'
  // scripts may look for its messages, or our own, with the cure. All other messages are T2T's.
  enum class Words { tensor2tensor, own };
  // Applies "--hparams" overrides, all or none. Throws Error(usage) of every rank; for an unknown name, with the
  // nearest name of this set.
  void parse(std::string_view overrides, Words words = Words::tensor2tensor);

  // Applies the values of another set, all or none. Types do not change: an integer may fill a number, and so may
  // "nan", "inf" and "-inf", as JSON has no numbers for them; an empty list fills any list. A name that this set does
  // not have or a value of another type is an Error(usage) of every rank. source: origin of the values, for messages.
  void override_with(const HParams& values, std::string_view source);

  bool operator==(const HParams&) const = default;

 private:
  std::map<std::string, Value, std::less<>> values_;  // ordered by name, so that printing is stable
};

}  // namespace lockstep
