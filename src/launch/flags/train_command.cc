#include "launch/flags/train_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "launch/flags/collective_name.h"
#include "launch/flags/config_file.h"
#include "launch/flags/flags_from_settings.h"
#include "launch/flags/foreign_flags.h"
#include "train/registry/setting_rules.h"

namespace lockstep {
namespace {

using Request = TrainCommand::Request;

Request request_of(std::span<const std::string> args, const CommandLine& line) {
  if (asks_for_all_help(args)) return Request::all_help;
  if (asks_for_help(args)) return Request::help;
  if (asks_for_version(args)) return Request::version;
  constexpr std::array<std::pair<const char*, Request>, 6> kRequests = {{{"help", Request::help},
                                                                         {"version", Request::version},
                                                                         {"registry_help", Request::registry_help},
                                                                         {"print_hparams", Request::print_hparams},
                                                                         {"print_memory", Request::print_memory},
                                                                         {"print_schedule", Request::print_schedule}}};
  std::vector<std::pair<const char*, Request>> asked;
  std::ranges::copy_if(kRequests, std::back_inserter(asked), [&](const auto& each) { return line.on(each.first); });
  if (asked.size() > 1) {
    throw Error(
        ExitCode::usage,
        fmt::format("--{} and --{} each print an answer and end: give one of them", asked[0].first, asked[1].first),
        Scope::every_rank);
  }
  return asked.empty() ? Request::train : asked[0].second;
}

// The scheme of a folder, "gs" of gs://bucket/run, which is not a folder of a file system; "" if it has none.
std::string_view scheme_of(std::string_view folder) {
  const std::size_t end = folder.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view scheme = folder.substr(0, end);
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";  // RFC 3986
  return scheme.find_first_not_of(kLetters) == std::string_view::npos ? scheme : std::string_view();
}

void check_output_dir(const std::string& folder) {
  const auto scheme = scheme_of(folder);
  if (scheme.empty()) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("--output_dir={}: {}:// is not a folder of this machine, and checkpoints are written to folders "
                  "only; mount that storage and give the mounted folder, or write to a local one and copy it",
                  escaped(folder), scheme),
      Scope::every_rank);
}

// Refuses flags that have no meaning with the others, or contradict them.
void check_meaning(const CommandLine& line, const Registry& registry) {
  const GivenTexts given = [&](std::string_view name) {
    return line.given(name) ? std::optional(line.text(name)) : std::nullopt;
  };
  for (const TrainSetting& setting : train_settings()) {
    if (!line.given(setting.name)) continue;
    const auto refusal = refusal_of(setting, given, registry);
    if (!refusal) continue;
    if (refusal->whole) throw Error(refusal->code, refusal->why, Scope::every_rank);
    line.refuse(setting.name, refusal->why);
  }
}

// The settings that are given by the line, each checked on its own. names: gets their names.
TrainSettings assigned(const CommandLine& line, std::vector<std::string>& names) {
  TrainSettings settings;
  for (const TrainSetting& setting : train_settings()) {
    if (!line.given(setting.name)) continue;
    if (const std::string why = assign(setting, line.text(setting.name), settings); !why.empty()) {
      line.refuse(setting.name, why);
    }
    names.emplace_back(setting.name);
  }
  return settings;
}

// Gives --collective the name that the registry has for it.
void resolve_collective(CommandLine& line, const Registry& registry) {
  if (!line.given("collective")) return;
  const std::string own = collective_called(line.text("collective"), registry);
  if (own != line.text("collective")) line.put("collective", own, "");
}

std::optional<ConfigFile> file_of(const TrainCommand& command) {
  if (!command.line.given("config")) return {};
  return parse_config(command.config_text, command.line.text("config"), flags_from_settings());
}

}  // namespace

TrainCommand read_train_command(std::span<const std::string> args) {
  // Help is given whatever else is wrong.
  const bool asks = asks_for_help(args) || asks_for_version(args);
  TrainCommand command{
      .line = CommandLine("train", flags_from_settings(), asks ? std::span<const std::string>() : args, meaning_here),
      .config_text = {}};
  command.request = request_of(args, command.line);
  if (command.line.given("config")) command.config_text = read_config_text(command.line.text("config"));
  file_of(command);
  settings_of_line(command);
  return command;
}

GivenFlags flags_of(const TrainCommand& command) {
  return {.flags = command.line.all_given(), .config = command.config_text};
}

void take_flags(TrainCommand& command, const GivenFlags& merged) {
  for (const auto& [name, value] : command.line.all_given()) {
    if (!merged.flags.contains(name)) command.line.withdraw(name);
  }
  for (const auto& [name, value] : merged.flags) command.line.put(name, value, "");
  command.config_text = merged.config;
}

TrainSettings settings_of_line(const TrainCommand& command) {
  std::vector<std::string> names;
  return assigned(command.line, names);
}

std::string usr_lib_of(const TrainCommand& command) {
  const TrainSettings settings = settings_of_line(command);
  if (!settings.usr_lib.empty()) return settings.usr_lib;
  const auto file = file_of(command);
  return file ? file->flag("usr_lib").value_or("") : "";
}

TrainSettings settings_of(TrainCommand command, const Registry& registry, const JobReach& job) {
  CommandLine& line = command.line;
  resolve_strategy(line, registry, job);
  HParams config_hparams;
  if (auto file = file_of(command)) config_hparams = fill_from(std::move(*file), line, registry, job);
  resolve_collective(line, registry);
  std::vector<std::string> given;
  TrainSettings settings = assigned(line, given);
  settings.config_hparams = std::move(config_hparams);
  settings.given = std::move(given);
  if (!is_given(settings, "model")) settings.model = default_model(registry, settings.problem);
  check_meaning(line, registry);
  check_output_dir(settings.output_dir);
  return settings;
}

}  // namespace lockstep
