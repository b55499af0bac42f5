#include "launch/flags/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/whole_number.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_usage(const std::string& message) { throw Error(ExitCode::usage, message, Scope::every_rank); }

std::string with_underscores(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

// The boolean flag that "noname" or "no_name" switches off.
const Flag* find_switched_off(std::span<const Flag> flags, std::string_view name) {
  if (!name.starts_with("no")) return nullptr;
  name.remove_prefix(name.starts_with("no_") ? 3 : 2);
  const Flag* flag = find_flag(flags, name);
  return flag != nullptr && flag->placeholder.empty() ? flag : nullptr;
}

// The flag that "hp_learning_rate" adds to; names of the flags themselves come first.
const Flag* find_prefix(std::span<const Flag> flags, std::string_view name) {
  const auto adds_to = [&](const Flag& flag) { return !flag.prefix.empty() && name.starts_with(flag.prefix); };
  const auto found = std::ranges::find_if(flags, adds_to);
  return found == flags.end() ? nullptr : &*found;
}

std::optional<bool> parse_switch(std::string_view text) {
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  return {};
}

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return {};
  return value;
}

// Returns whether an argument can be a value: a flag cannot, a negative number or a lone dash can.
bool can_be_value(std::string_view argument) {
  if (argument.size() < 2 || argument.front() != '-') return true;
  return (argument[1] >= '0' && argument[1] <= '9') || argument[1] == '.';
}

std::string hint_of(const Flag& flag) { return flag.hint.empty() ? "" : fmt::format("; {}", flag.hint); }

}  // namespace

const Flag* find_flag(std::span<const Flag> flags, std::string_view name) {
  const auto named = [&](const Flag& flag) { return flag.name == name || (!name.empty() && flag.alias == name); };
  const auto found = std::find_if(flags.begin(), flags.end(), named);
  return found == flags.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(std::span<const Flag> flags) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) {
    names.emplace_back(flag.name);
    if (!flag.alias.empty()) names.emplace_back(flag.alias);
  }
  return names;
}

CommandLine::CommandLine(std::string program, std::span<const Flag> flags, std::span<const std::string> args,
                         const ExplainFlag& explain, const Operands& operands)
    : program_(std::move(program)), flags_(flags), taken_(operands) {
  while (!args.empty()) args = args.subspan(take(args, explain));
  join_parts();
  if (operands_.size() >= taken_.least) return;
  refuse_usage(fmt::format("{} needs a {}; {} --help shows examples", program_, taken_.placeholder, program_));
}

void CommandLine::take_operand(const std::string& argument, const ExplainFlag& explain) {
  if (taken_.most == 0) {
    const std::size_t equals = argument.find('=');
    const std::string name = with_underscores(argument.substr(0, equals));
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    if (value && find_flag(flags_, name) != nullptr) {
      refuse_usage(fmt::format("{} belongs to no flag: flags begin with two dashes, as in --{}", in_quotes(argument),
                               escaped(argument)));
    }
    if (const std::string meaning = explain ? explain(name, value) : ""; !meaning.empty()) {
      refuse_usage(fmt::format("{} belongs to no flag: {}", in_quotes(argument), meaning));
    }
    refuse_usage(fmt::format("{} belongs to no flag; values are written --name=value, and {} takes nothing else",
                             in_quotes(argument), program_));
  }
  if (argument.empty())
    refuse_usage(fmt::format("{}: a {} is empty; is a variable unset?", program_, taken_.placeholder));
  if (operands_.size() == taken_.most) {
    refuse_usage(fmt::format("{} is one {} too many; {} takes {}", in_quotes(argument), taken_.placeholder, program_,
                             taken_.most));
  }
  operands_.push_back(argument);
}

// Takes the flag or the operand that args begins with, and returns how many arguments it is made of.
std::size_t CommandLine::take(std::span<const std::string> args, const ExplainFlag& explain) {
  const std::string& argument = args[0];
  if (!argument.starts_with("-")) {
    take_operand(argument, explain);
    return 1;
  }
  if (!argument.starts_with("--")) {
    refuse_one_dash(argument, explain);
  }
  const std::size_t equals = argument.find('=');
  const std::string spelled = argument.substr(0, equals);
  const std::string name = with_underscores(std::string_view(spelled).substr(2));
  std::optional<std::string> value;
  if (equals != std::string::npos) value = argument.substr(equals + 1);

  const Flag* flag = find_flag(flags_, name);
  if (flag == nullptr) {
    if (const Flag* whole = find_prefix(flags_, name)) return take_part(*whole, spelled, value, args.subspan(1));
    flag = find_switched_off(flags_, name);
    if (flag == nullptr) {
      if (!value && args.size() > 1 && can_be_value(args[1])) value = args[1];
      refuse_unknown(spelled, value, explain);
    }
    if (value) {
      refuse_usage(fmt::format("{}: write either {} or --{}=true|false", escaped(argument), spelled, flag->name));
    }
    keep(*flag, spelled, "false");
    return 1;
  }
  if (value || flag->placeholder.empty()) {
    keep(*flag, spelled, value.value_or("true"));
    if (!value && args.size() > 1 && parse_switch(args[1])) {
      refuse_usage(fmt::format("'{} {}': the value of a boolean flag is written with '=': --{}={}", spelled, args[1],
                               flag->name, args[1]));
    }
    return 1;
  }
  if (args.size() == 1) {
    refuse_usage(fmt::format("{} needs a value: {}={}{}", spelled, spelled, flag->placeholder, hint_of(*flag)));
  }
  if (!can_be_value(args[1])) {
    refuse_usage(fmt::format("{} needs a value, and {} looks like the next flag; if it is the value, write {}={}{}",
                             spelled, in_quotes(args[1]), spelled, escaped(args[1]), hint_of(*flag)));
  }
  keep(*flag, spelled, args[1]);
  return 2;
}

// Takes a part of a flag with a prefix, --hp_NAME=VALUE, and returns how many arguments it is made of.
std::size_t CommandLine::take_part(const Flag& flag, std::string_view spelled, const std::optional<std::string>& value,
                                   std::span<const std::string> rest) {
  const std::string name = with_underscores(spelled.substr(2 + flag.prefix.size()));
  if (name.empty()) refuse_usage(fmt::format("{}: a name has to follow: {}NAME=VALUE", spelled, spelled));
  if (!value && (rest.empty() || !can_be_value(rest[0]))) {
    refuse_usage(fmt::format("{} needs a value: {}=VALUE", escaped(spelled), escaped(spelled)));
  }
  parts_.emplace_back(&flag, fmt::format("{}={}", name, value ? *value : rest[0]));
  return value ? 1 : 2;
}

// Appends the parts to the value of the flag itself, in their order.
void CommandLine::join_parts() {
  for (const auto& [flag, part] : parts_) {
    std::string& text = values_[std::string(flag->name)].value;
    text += (text.empty() ? "" : ",") + part;
  }
}

std::map<std::string, std::string> CommandLine::all_given() const {
  std::map<std::string, std::string> texts;
  for (const auto& [name, given] : values_) texts.emplace(name, given.value);
  return texts;
}

void CommandLine::keep(const Flag& flag, std::string_view spelled, std::string value) {
  if (const auto before = values_.find(flag.name); before != values_.end()) {
    const std::string also = flag.alias.empty() ? "" : fmt::format(" (--{} is another name for it)", flag.alias);
    const std::string& first = before->second.value;
    const std::string cure = flag.prefix.empty() ? "keep one of them"
                                                 : fmt::format("join them with a comma: --{}={},{}", flag.name,
                                                               escaped(first), escaped(value));
    refuse_usage(fmt::format("--{} is given twice, as {} and as {}{}; {}", flag.name, in_quotes(first),
                             in_quotes(value), also, cure));
  }
  if (flag.placeholder.empty()) {
    const auto parsed = parse_switch(value);
    if (!parsed) refuse_usage(fmt::format("{}={}: expected true or false", spelled, escaped(value)));
    value = *parsed ? "true" : "false";
  }
  values_.emplace(std::string(flag.name), Given{std::move(value)});
}

void CommandLine::put(std::string_view name, std::string value, std::string source) {
  values_.insert_or_assign(std::string(flag(name).name), Given{std::move(value), std::move(source)});
}

// "-model=mlp" is a flag with a dash left out, "-v" the beginning of one, "-np" another program's.
void CommandLine::refuse_one_dash(const std::string& argument, const ExplainFlag& explain) const {
  const std::string name = with_underscores(std::string_view(argument).substr(1, argument.find('=') - 1));
  if (find_flag(flags_, name) != nullptr) {
    refuse_usage(fmt::format("{}: flags begin with two dashes, as in -{}", in_quotes(argument), escaped(argument)));
  }
  if (const std::string meaning = explain ? explain(name, {}) : ""; !meaning.empty()) {
    refuse_usage(fmt::format("{} is no flag: {}", in_quotes(argument), meaning));
  }
  std::vector<std::string> begin_so = names_of(flags_);
  std::erase_if(begin_so, [&](const std::string& flag) { return name.empty() || !flag.starts_with(name); });
  const std::string near = begin_so.size() == 1 ? begin_so.front() : nearest(name, names_of(flags_));
  refuse_usage(fmt::format("{} is no flag{}; flags begin with two dashes, and {} --help lists them",
                           in_quotes(argument), near.empty() ? "" : fmt::format(" (did you mean --{}?)", near),
                           program_));
}

void CommandLine::refuse_unknown(std::string_view spelled, const std::optional<std::string>& value,
                                 const ExplainFlag& explain) const {
  const std::string name = with_underscores(spelled.substr(2));
  if (const std::string meaning = explain ? explain(name, value) : ""; !meaning.empty()) {
    refuse_usage(fmt::format("unknown flag {}: {}", escaped(spelled), meaning));
  }
  const std::string near = nearest(name, names_of(flags_));
  refuse_usage(fmt::format("unknown flag {}{}; {} --help lists the flags", escaped(spelled),
                           near.empty() ? "" : fmt::format(" (did you mean --{}?)", near), program_));
}

const Flag& CommandLine::flag(std::string_view name) const {
  const Flag* found = find_flag(flags_, name);
  LS_CHECK(found != nullptr, fmt::format("{} has no flag --{}", program_, name));
  return *found;
}

std::string CommandLine::shown(std::string_view name) const {
  const auto found = values_.find(name);
  const std::string source = found == values_.end() || found->second.source.empty() ? "" : found->second.source + ": ";
  return fmt::format("{}--{}={}", source, name, escaped(text(name)));
}

void CommandLine::refuse(std::string_view name, const std::string& why) const {
  refuse_usage(fmt::format("{}: {}", shown(name), why));
}

std::string CommandLine::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() ? found->second.value : std::string(flag(name).default_text);
}

bool CommandLine::on(std::string_view name) const { return text(name) == "true"; }

std::int64_t CommandLine::integer(std::string_view name, std::int64_t least, std::int64_t most) const {
  const auto value = parse_whole<std::int64_t>(text(name));
  if (!value || *value < least || *value > most) {
    const bool bounded = most < std::numeric_limits<std::int64_t>::max();
    refuse(name, fmt::format("expected a whole number {} {}{}", bounded ? "from" : "of at least", least,
                             bounded ? fmt::format(" to {}", most) : ""));
  }
  return *value;
}

double CommandLine::number_above_zero(std::string_view name, double most) const {
  const auto value = parse_number(text(name));
  // NaN fails both comparisons.
  if (!value || !(*value > 0 && *value <= most)) {
    refuse(name, fmt::format("expected a number above 0 and up to {}", most));
  }
  return *value;
}

std::size_t CommandLine::choice(std::string_view name, std::span<const std::string> choices) const {
  const std::string value = text(name);
  const auto found = std::find(choices.begin(), choices.end(), value);
  if (found == choices.end()) {
    refuse(name, expected_one_of(choices, value));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

bool asks_for_help(std::span<const std::string> args) {
  const auto asks = [](std::string_view arg) { return arg == "--help" || arg == "-h"; };
  return asks_for_all_help(args) || std::any_of(args.begin(), args.end(), asks);
}

bool asks_for_all_help(std::span<const std::string> args) {
  return std::find(args.begin(), args.end(), "--help=all") != args.end();
}

bool asks_for_version(std::span<const std::string> args) {
  return std::find(args.begin(), args.end(), "--version") != args.end();
}

}  // namespace lockstep
