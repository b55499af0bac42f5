// The grammar of --hparams is tensor2tensor's: the form of an assignment, the order in which mistakes are found, and
// the first words of each message are T2T's, so that its users' scripts and habits carry over. Our additions come after
// T2T's text. With Words::own, the two messages of T2T that name no cure are replaced by ours.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hparams.h"
#include "base/hparams_clause.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/python_number.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ExitCode::usage, message, Scope::every_rank); }

// --- values by type ---

template <class T>
struct ElementOf {
  using type = T;
};
template <class T>
struct ElementOf<std::vector<T>> {
  using type = T;
};

template <class T>
constexpr const char* type_name() {  // Python's name
  if constexpr (std::is_same_v<T, std::int64_t>) return "int";
  if constexpr (std::is_same_v<T, double>) return "float";
  if constexpr (std::is_same_v<T, bool>) return "bool";
  return "str";
}

// A value of the requested type; nothing if the text is not one.
std::optional<std::int64_t> parse_element(std::string_view text, std::type_identity<std::int64_t>) {
  const PythonInteger parsed = parse_python_integer(text);
  if (parsed.status != PythonInteger::Status::valid) return {};
  return parsed.value;
}

std::optional<double> parse_element(std::string_view text, std::type_identity<double>) {
  return parse_python_float(text);
}

std::optional<bool> parse_element(std::string_view text, std::type_identity<bool>) {
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  const PythonInteger parsed = parse_python_integer(text);
  if (parsed.status == PythonInteger::Status::malformed) return {};
  return parsed.status == PythonInteger::Status::too_large || parsed.value != 0;
}

std::optional<std::string> parse_element(std::string_view text, std::type_identity<std::string>) {
  return std::string(text);
}

// The elements of "1, 2 3": split at every comma and every space; empty pieces are skipped.
template <class T>
std::optional<std::vector<T>> parse_list(std::string_view text) {
  constexpr std::string_view kSeparators = " ,";
  std::vector<T> elements;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
    if (text.empty()) return elements;
    const std::string_view element = text.substr(0, text.find_first_of(kSeparators));
    auto value = parse_element(element, std::type_identity<T>());
    if (!value) return {};
    elements.push_back(std::move(*value));
    text.remove_prefix(element.size());
  }
}

// Quotes a text as Python's repr() does.
std::string python_quoted(std::string_view text) {
  const bool single = text.find('\'') == std::string_view::npos || text.find('"') != std::string_view::npos;
  const char quote = single ? '\'' : '"';
  constexpr std::string_view kEscaped = "\n\r\t\\";
  constexpr std::string_view kLetters = "nrt\\";
  std::string result(1, quote);
  for (const char c : text) {
    if (const auto at = kEscaped.find(c); at != std::string_view::npos) {
      result += '\\';
      result += kLetters[at];
    } else if (c == quote) {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < ' ') {
      result += fmt::format("\\x{:02x}", c);
    } else {
      result += c;
    }
  }
  return result + quote;
}

// Formats a value as Python's repr() does, for T2T's message about indexed values. REQUIRES: a scalar.
std::string python_text(const HParams::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "True" : "False";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return python_quoted(*text);
  std::string text = fmt::format("{}", std::get<double>(value));
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

// --- the whole text: what it assigns, not yet applied ---

struct Assignment {
  std::string name;
  std::string type;  // Python's name
  HParams::Value value;
  bool is_list = false;
  std::vector<std::pair<std::string, std::string>> indexed;  // index and value of name[index]=value
};

class OverrideParser {
 public:
  OverrideParser(const HParams& hparams, std::string_view text, HParams::Words words)
      : hparams_(hparams), text_(text), words_(words) {}

  std::vector<Assignment> parse() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::string_view rest = text_.substr(at);
      const auto clause = first_hparams_clause(rest);
      if (!clause) refuse_malformed(rest);
      const auto found = hparams_.values().find(clause->name);
      if (found == hparams_.values().end()) refuse_unknown(clause->name);
      const auto parse_clause = [&](const auto& current) {
        parse_as<typename ElementOf<std::decay_t<decltype(current)>>::type>(*clause);
      };
      std::visit(parse_clause, found->second);
      at += clause->characters;
    }
    return std::move(assignments_);
  }

 private:
  template <class T>
  void parse_as(const HParamsClause& clause) {
    if (clause.is_list) {
      if (!clause.index.empty()) refuse("Assignment of a list to a list index.");
      Assignment& assignment = add(clause, type_name<T>());
      auto list = parse_list<T>(clause.value);
      if (!list) refuse_value<T>(clause);
      assignment.value = std::move(*list);
    } else {
      // T2T checks the value before it checks whether the name is used twice; with lists it is the other way round.
      auto element = parse_element(clause.value, std::type_identity<T>());
      if (!element) refuse_value<T>(clause);
      HParams::Value value = std::move(*element);
      const std::string text = clause.index.empty() ? std::string() : python_text(value);
      Assignment& assignment = add(clause, type_name<T>());
      assignment.value = std::move(value);
      if (!clause.index.empty()) assignment.indexed.emplace_back(clause.index, text);
    }
  }

  // Throws T2T's message, which usually says it all.
  template <class T>
  [[noreturn]] void refuse_value(const HParamsClause& clause) const {
    const bool too_large = std::is_same_v<T, std::int64_t> &&
                           parse_python_integer(clause.value).status == PythonInteger::Status::too_large;
    refuse(fmt::format(
        "Could not parse hparam '{}' of type '{}' with value '{}' in {}{}", clause.name, type_name<T>(), clause.value,
        text_, too_large ? " (an integer here lies between -9223372036854775808 and 9223372036854775807)" : ""));
  }

  // Adds the clause's assignment, without a value; only an indexed one may exist already.
  Assignment& add(const HParamsClause& clause, const char* type) {
    const auto before = std::find_if(assignments_.begin(), assignments_.end(),
                                     [&](const Assignment& each) { return each.name == clause.name; });
    if (before == assignments_.end()) {
      Assignment assignment;
      assignment.name = clause.name;
      assignment.type = type;
      assignment.is_list = clause.is_list;
      return assignments_.emplace_back(std::move(assignment));
    }
    if (clause.index.empty() || before->indexed.empty()) refuse_twice(std::string(clause.name));
    for (const auto& [index, value] : before->indexed) {
      if (index == clause.index) refuse_twice(fmt::format("{}[{}]", clause.name, index));
    }
    return *before;
  }

  [[noreturn]] void refuse_twice(const std::string& what) const {
    refuse(fmt::format("Multiple assignments to variable '{}' in {}", what, text_));
  }

  // rest: the text from the malformed clause on.
  [[noreturn]] void refuse_malformed(std::string_view rest) const {
    if (words_ == HParams::Words::tensor2tensor) refuse(fmt::format("Malformed hyperparameter value: {}", rest));
    const std::string_view first = rest.substr(0, rest.find(','));
    if (hparams_.has(first)) {
      refuse(fmt::format("--hparams: {0} is given no value; write --hparams={0}=VALUE, and commas between several",
                         first));
    }
    if (const std::string product = product_before(); !product.empty()) {
      refuse(fmt::format("--hparams: {} cannot be read; the factors of a schedule are joined by *: {}*{}",
                         in_quotes(rest), product, first));
    }
    refuse(
        fmt::format("--hparams: {} cannot be read; write --hparams=NAME=VALUE,NAME=VALUE without blanks, and lists "
                    "as NAME=[VALUE,VALUE]",
                    in_quotes(rest)));
  }

  // The last assignment, e.g. "learning_rate_schedule=constant", if the set's own value there is a product, which has
  // no commas; else "".
  std::string product_before() const {
    if (assignments_.empty()) return {};
    const Assignment& before = assignments_.back();
    const auto* const own = std::get_if<std::string>(&hparams_.values().at(before.name));
    const auto* const given = std::get_if<std::string>(&before.value);
    if (own == nullptr || given == nullptr || own->find('*') == std::string::npos) return {};
    return fmt::format("{}={}", before.name, *given);
  }

  [[noreturn]] void refuse_unknown(std::string_view name) const {
    std::vector<std::string> names;
    for (const auto& [each, value] : hparams_.values()) names.push_back(each);
    const std::string near = did_you_mean(name, names);
    if (words_ == HParams::Words::tensor2tensor)
      refuse(fmt::format("Unknown hyperparameter type for {}{}", name, near));
    refuse(
        fmt::format("--hparams: unknown hyperparameter {}{}; --print_hparams shows all names", in_quotes(name), near));
  }

  const HParams& hparams_;
  std::string_view text_;
  HParams::Words words_;
  std::vector<Assignment> assignments_;
};

// T2T's second check, after the whole text is parsed: a list must meet a list.
void check_fits(const Assignment& assignment, const HParams::Value& current) {
  constexpr std::size_t kFirstList = 4;  // alternatives of HParams::Value: four scalars, then their lists
  const bool wants_list = current.index() >= kFirstList;
  if (wants_list && !assignment.is_list) {
    refuse(fmt::format("Must pass a list for multi-valued parameter: {}.", assignment.name));
  }
  if (!wants_list && assignment.is_list) {
    refuse(fmt::format("Must not pass a list for single-valued parameter: {}", assignment.name));
  }
  if (assignment.indexed.empty()) return;
  std::string all;
  for (const auto& [index, value] : assignment.indexed) {
    all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", index, value);
  }
  refuse(fmt::format("Could not cast hparam '{}' of type '<class '{}'>' from value {{{}}}", assignment.name,
                     assignment.type, all));
}

}  // namespace

void HParams::parse(std::string_view overrides, Words words) {
  std::vector<Assignment> assignments = OverrideParser(*this, overrides, words).parse();
  for (const Assignment& assignment : assignments) check_fits(assignment, values_.at(assignment.name));
  for (Assignment& assignment : assignments) values_.at(assignment.name) = std::move(assignment.value);
}

}  // namespace lockstep
