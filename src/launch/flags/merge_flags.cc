#include "launch/flags/merge_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "base/printable.h"
#include "launch/flags/config_file.h"
#include "launch/flags/flags_from_settings.h"
#include "train/config/train_setting.h"

namespace lockstep {
namespace {

// The schedule that a text names; null if there is none.
const ScheduleKind* find_schedule(const std::optional<std::string>& name) {
  if (!name) return nullptr;
  const auto* const kind = std::ranges::find(kSchedules, *name, &ScheduleKind::name);
  return kind == std::end(kSchedules) ? nullptr : kind;
}

std::optional<std::string> value_of(const GivenFlags& given, std::string_view name) {
  const auto found = given.flags.find(std::string(name));
  return found == given.flags.end() ? std::nullopt : std::optional(found->second);
}

// The schedule that makes a process do what the chief does; null if it has another one.
const ScheduleKind* obedience(const GivenFlags& given) {
  const ScheduleKind* const kind = find_schedule(value_of(given, "schedule"));
  return kind != nullptr && kind->obeys ? kind : nullptr;
}

std::string shown(const std::optional<std::string>& value) { return value ? in_quotes(*value) : "not given"; }

// Checks that a process gives a flag of the whole job the chief's value, or none.
void check_same(const TrainSetting& setting, const FlagsOwner& chief, const FlagsOwner& process) {
  const auto of_chief = value_of(chief.given, setting.name);
  const auto here = value_of(process.given, setting.name);
  if (!here || same_value(setting, of_chief, here)) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("the ranks do not run the same job: --{} is {} on {} and {} on {}; give it to the chief only, "
                  "whose flags hold for all, or the same to all",
                  setting.name, shown(of_chief), chief.who, shown(here), process.who),
      Scope::every_rank);
}

bool evaluates_saved(const ScheduleKind* kind) {
  return kind != nullptr && (kind->work == Work::evaluate || kind->work == Work::follow);
}

bool has_meaning(const TrainSetting& setting, Work work) {
  return setting.of_works.empty() || std::ranges::find(setting.of_works, work) != setting.of_works.end();
}

GivenFlags merge_evaluator(const FlagsOwner& chief, const FlagsOwner& evaluator) {
  GivenFlags merged = evaluator.given;
  const ScheduleKind* kind = find_schedule(value_of(merged, "schedule"));
  if (!evaluates_saved(kind)) kind = &schedule_kind("continuous_eval");
  merged.flags["schedule"] = kind->name;
  for (const auto& [name, value] : chief.given.flags) {
    const TrainSetting& setting = train_setting(name);
    if (setting.scope != SettingScope::process && has_meaning(setting, kind->work)) merged.flags.emplace(name, value);
  }
  return merged;
}

}  // namespace

std::string to_text(const GivenFlags& given) {
  std::string text;
  for (const auto& [name, value] : given.flags) text.append(name).append(1, '\0').append(value).append(1, '\0');
  return text.append(1, '\0').append(given.config);
}

GivenFlags given_flags(std::string_view text) {
  GivenFlags given;
  const auto take = [&text] {
    const std::size_t end = text.find('\0');
    LS_CHECK(end != std::string_view::npos, "flags of a process that end in the middle");
    std::string part(text.substr(0, end));
    text.remove_prefix(end + 1);
    return part;
  };
  for (std::string name = take(); !name.empty(); name = take()) given.flags[name] = take();
  given.config = text;
  return given;
}

std::optional<std::string> given_value(const GivenFlags& given, std::string_view name) {
  std::optional<std::string> value = value_of(given, name);
  const auto path = value ? std::nullopt : value_of(given, "config");
  if (path) value = parse_config(given.config, *path, flags_from_settings()).flag(name);
  return value;
}

bool assign_given(const GivenFlags& given, std::string_view name, TrainSettings& settings) {
  const auto value = value_of(given, name);
  if (value) assign(train_setting(name), *value, settings);
  return value.has_value();
}

GivenFlags merge_flags(const FlagsOwner& chief, const FlagsOwner& process) {
  if (const ScheduleKind* const kind = obedience(chief.given)) {
    throw Error(ExitCode::configuration,
                fmt::format("--schedule={} on {}: that is the chief, which says what the others do; start it with a "
                            "schedule of its own, such as --schedule=train",
                            kind->name, chief.who),
                Scope::every_rank);
  }
  const bool same_world = process.evaluates == chief.evaluates;
  GivenFlags merged = same_world ? process.given : merge_evaluator(chief, process);
  if (same_world) {
    const bool follows = process.evaluates && !evaluates_saved(find_schedule(value_of(merged, "schedule")));
    if (obedience(merged) != nullptr || follows) merged.flags.erase("schedule");
    const FlagsOwner obedient{.given = merged, .who = process.who};
    for (const auto& [name, value] : merged.flags) {
      const TrainSetting& setting = train_setting(name);
      if (setting.scope == SettingScope::job) check_same(setting, chief, obedient);
    }
    for (const auto& [name, value] : chief.given.flags) {
      if (train_setting(name).scope != SettingScope::process) merged.flags.emplace(name, value);
    }
  }
  if (!process.given.flags.contains("config")) merged.config = chief.given.config;
  return merged;
}

}  // namespace lockstep
