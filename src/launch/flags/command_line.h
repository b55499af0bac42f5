#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

// One flag of a program, as its help shows it.
struct Flag {
  std::string_view group;         // the topic it stands under
  std::string_view name;          // with underscores: "train_steps"
  std::string_view placeholder;   // name of its value: "STEPS"; "" = a boolean flag
  std::string_view default_text;  // the value if it is not given; "" = none
  std::string_view help;
  std::string_view alias = "";   // a second name, "" = none
  std::string_view prefix = "";  // "hp_": --hp_NAME=VALUE, any number of times, adds ",NAME=VALUE" to its value
  std::string_view hint = "";    // advice for a user who gives it no value
};

// The meaning of a name that no flag has, or of a word that is not a flag, and what to write instead; "" if unknown.
// value: the value that it was given; nothing if there was none.
using ExplainFlag = std::function<std::string(std::string_view name, const std::optional<std::string>& value)>;

// Arguments of a program besides flags: files, for example. With most == 0 the program takes none.
struct Operands {
  std::string_view placeholder = "";  // as help and messages call one: "CKPT"
  std::size_t least = 0;
  std::size_t most = 0;
};

// The flags given on a command line, checked and typed: long GNU-style flags, "--name=value" or "--name value",
// underscores and dashes alike, boolean ones as "--name", "--name=true|false" or "--noname".
//
// Everything is checked before anything is used: unknown flags, a flag given twice (also by its alias), a missing,
// empty or malformed value, stray arguments and missing ones are an Error(usage) of every rank, with the nearest valid
// name and the cure. A plain value; the flags must outlive it. One thread at a time.
class CommandLine {
 public:
  // program: as messages call it, "train". args: without the program's name. explain: asked about unknown flags.
  CommandLine(std::string program, std::span<const Flag> flags, std::span<const std::string> args,
              const ExplainFlag& explain = {}, const Operands& operands = {});

  bool given(std::string_view name) const { return values_.contains(name); }
  std::map<std::string, std::string> all_given() const;                   // as texts, by their own names
  const std::vector<std::string>& operands() const { return operands_; }  // in the order given

  // Gives a flag a value from elsewhere. source: text with which messages about the value begin, "--config=FILE"; "" =
  // the command line. REQUIRES: a flag of this name; for a boolean one, "true" or "false".
  void put(std::string_view name, std::string value, std::string source);

  // Treats the flag as not given.
  void withdraw(std::string_view name) {
    std::erase_if(values_, [&](const auto& given) { return given.first == name; });
  }

  // The flag of a name, also an alias. REQUIRES: a flag of this name.
  const Flag& flag(std::string_view name) const;

  // The value given or else the default. REQUIRES: a flag of this name. integer(), number_above_zero() and choice()
  // throw Error(usage) of every rank for a value that does not fit.
  std::string text(std::string_view name) const;
  bool on(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most) const;
  double number_above_zero(std::string_view name, double most) const;
  // The index of the value in choices.
  std::size_t choice(std::string_view name, std::span<const std::string> choices) const;

  // "--name=value", with the source in front if it is not the command line.
  std::string shown(std::string_view name) const;
  // Refuses the value of a flag: "--name=value: why", with the source in front if it is not the command line.
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const;

 private:
  std::size_t take(std::span<const std::string> args, const ExplainFlag& explain);
  void take_operand(const std::string& argument, const ExplainFlag& explain);
  std::size_t take_part(const Flag& flag, std::string_view spelled, const std::optional<std::string>& value,
                        std::span<const std::string> rest);
  void join_parts();
  void keep(const Flag& flag, std::string_view spelled, std::string value);
  [[noreturn]] void refuse_one_dash(const std::string& argument, const ExplainFlag& explain) const;
  [[noreturn]] void refuse_unknown(std::string_view spelled, const std::optional<std::string>& value,
                                   const ExplainFlag& explain) const;

  std::string program_;
  std::span<const Flag> flags_;
  struct Given {
    std::string value;
    std::string source{};  // "" = the command line
  };
  std::map<std::string, Given, std::less<>> values_;
  std::vector<std::pair<const Flag*, std::string>> parts_;  // each "NAME=VALUE" of a flag with a prefix
  Operands taken_;
  std::vector<std::string> operands_;
};

// The flag of a name, also an alias; null if there is none.
const Flag* find_flag(std::span<const Flag> flags, std::string_view name);
// All names, aliases too.
std::vector<std::string> names_of(std::span<const Flag> flags);

// True if --help, -h or --help=all is among args: like --version, they are answered even if another flag is wrong.
bool asks_for_help(std::span<const std::string> args);
bool asks_for_all_help(std::span<const std::string> args);  // --help=all
bool asks_for_version(std::span<const std::string> args);

// The help of a flag, with its default at the end unless the text names one itself: "... (default: 4)".
std::string help_with_default(const Flag& flag);
// The flags by group, in the order given, at most 99 columns wide.
std::string flags_help(std::span<const Flag> flags);

}  // namespace lockstep
