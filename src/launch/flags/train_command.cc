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
#include "launch/flags/flags_from_settings.h"
#include "launch/flags/foreign_flags.h"
#include "train/setting_rules.h"

namespace lockstep {
namespace {

using Request = TrainCommand::Request;

Request request_of(std::span<const std::string> args, const CommandLine& line) {
  if (asks_for_help(args)) return Request::help;
  if (asks_for_version(args)) return Request::version;
  constexpr std::array<std::pair<const char*, Request>, 5> kRequests = {{{"help", Request::help},
                                                                         {"version", Request::version},
                                                                         {"registry_help", Request::registry_help},
                                                                         {"print_hparams", Request::print_hparams},
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

// "gs", if the folder is written gs://bucket/run: then it is no folder of a file system.
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

// Refuses what has no meaning with the other flags, or contradicts them.
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

}  // namespace

TrainCommand read_train_command(std::span<const std::string> args) {
  // Help is given whatever else is wrong.
  const bool asks = asks_for_help(args) || asks_for_version(args);
  TrainCommand command{
      .line = CommandLine("train", flags_from_settings(), asks ? std::span<const std::string>() : args, meaning_here),
      .file = {},
      .usr_lib = {}};
  command.request = request_of(args, command.line);
  const auto given_or = [&](const char* name, const std::string& other) {
    if (!command.line.given(name)) return other;
    TrainSettings settings;
    if (const std::string why = assign(train_setting("usr_lib"), command.line.text(name), settings); !why.empty()) {
      command.line.refuse(name, why);
    }
    return settings.usr_lib;
  };
  if (command.line.given("config")) command.file = read_config(given_or("config", ""), flags_from_settings());
  const std::string of_file = command.file ? command.file->flag("usr_lib").value_or("") : "";
  command.usr_lib = given_or("usr_lib", of_file);
  return command;
}

TrainSettings settings_of(TrainCommand command, const Registry& registry) {
  CommandLine& line = command.line;
  TrainSettings settings;
  if (command.file) settings.config_hparams = fill_from(std::move(*command.file), line, registry);
  check_strategy(line, registry);
  for (const TrainSetting& setting : train_settings()) {
    if (!line.given(setting.name)) continue;
    if (const std::string why = assign(setting, line.text(setting.name), settings); !why.empty()) {
      line.refuse(setting.name, why);
    }
    settings.given.emplace_back(setting.name);
  }
  check_meaning(line, registry);
  check_output_dir(settings.output_dir);
  return settings;
}

}  // namespace lockstep
