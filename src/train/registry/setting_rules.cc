#include "train/registry/setting_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace lockstep {
namespace {

// The strategies that have the setting to themselves; none if it belongs to no strategy.
std::vector<std::string> owners(std::string_view setting, const Registry& registry) {
  std::vector<std::string> names;
  for (const auto& [name, named] : registry.strategies.entries()) {
    if (std::ranges::find(named.entry.settings, setting) != named.entry.settings.end()) names.push_back(name);
  }
  return names;
}

bool belongs_to(std::string_view setting, const std::string& strategy, const Registry& registry) {
  const std::vector<std::string> names = owners(setting, registry);
  return names.empty() || std::ranges::find(names, strategy) != names.end();
}

// A flag with its placeholder: "--output_dir=DIR", "--exact".
std::string flag_text(std::string_view name) {
  const TrainSetting& setting = train_setting(name);
  return fmt::format("--{}{}{}", name, setting.placeholder.empty() ? "" : "=", setting.placeholder);
}

// A flag with its value: "--output_dir=out", "--exact".
std::string with_value(std::string_view name, const std::string& value) {
  const bool boolean = train_setting(name).placeholder.empty();
  return boolean ? fmt::format("--{}", name) : fmt::format("--{}={}", name, value);
}

bool is_set(std::string_view name, const GivenTexts& given) {
  const std::optional<std::string> text = given(name);
  return text && *text != "false";
}

Refusal only_with(const std::string& what) {
  return {fmt::format("has a meaning with {} only; add that or leave it out", what)};
}

// The names as text: "a, b or c". REQUIRES: at least one.
template <class Text>
std::string alternatives(const std::vector<Text>& names) {
  const auto all_but_last = std::span(names).first(names.size() - 1);
  return fmt::format("{}{}{}", fmt::join(all_but_last, ", "), all_but_last.empty() ? "" : " or ", names.back());
}

// "--schedule=evaluate or predict", the schedules that the setting has a meaning with.
std::string schedules_of(const TrainSetting& setting) {
  std::vector<std::string_view> names;
  for (const ScheduleKind& kind : kSchedules) {
    const bool of_it = std::ranges::find(setting.of_works, kind.work) != setting.of_works.end();
    if (of_it && !kind.obeys) names.push_back(kind.name);
  }
  return "--schedule=" + alternatives(names);
}

bool has_meaning_with(const TrainSetting& setting, std::string_view schedule) {
  const auto is_its = [&](Work work) { return work == schedule_kind(schedule).work; };
  return setting.of_works.empty() || std::ranges::any_of(setting.of_works, is_its);
}

}  // namespace

std::vector<const TrainSetting*> settings_in_use(const TrainSettings& settings, const Registry& registry) {
  std::vector<const TrainSetting*> rows;
  for (const TrainSetting& setting : train_settings()) {
    const bool needed = setting.needs.empty() || value_text(train_setting(setting.needs), settings);
    if (needed && has_meaning_with(setting, settings.schedule) && belongs_to(setting.name, settings.strategy, registry))
      rows.push_back(&setting);
  }
  return rows;
}

bool both_have(std::string_view setting, const std::string& a, const std::string& b, const Registry& registry) {
  return a == b || (belongs_to(setting, a, registry) && belongs_to(setting, b, registry));
}

std::optional<Refusal> refusal_of(const TrainSetting& setting, const GivenTexts& given, const Registry& registry) {
  const std::string strategy = given("strategy").value_or(TrainSettings{}.strategy);
  const std::optional<std::string> text = given(setting.name);
  if (text && !setting.t2t_default.empty() && is_t2t_default(setting, *text)) return {};
  const bool excludes = !setting.instead_of.empty() && !setting.first_counts && !(text && says_nothing(setting, *text));
  if (excludes && given(setting.instead_of)) {
    return Refusal{
        fmt::format("--{} is given, too: both say {}; leave one of the two out", setting.instead_of, setting.both_say)};
  }
  if (!has_meaning_with(setting, given("schedule").value_or(TrainSettings{}.schedule))) {
    return only_with(schedules_of(setting));
  }
  if (!belongs_to(setting.name, strategy, registry)) {
    return only_with("--strategy=" + alternatives(owners(setting.name, registry)));
  }
  const bool differs = text && !same_value(setting, text, {});
  const std::vector<RefusedSetting>& refused = registry.strategies.find(strategy).refused;
  const auto is_refused = [&](const RefusedSetting& row) {
    return row.name == setting.name && (row.value.empty() || *text == row.value) &&
           (row.with.empty() || given(row.with) == row.with_value);
  };
  if (const auto found = std::ranges::find_if(refused, is_refused); differs && found != refused.end()) {
    const bool by_strategy = found->with.empty();
    return Refusal{.why = fmt::format("{} cannot be kept with --{}={}: {}; leave one of the two out",
                                      with_value(setting.name, *text), by_strategy ? "strategy" : found->with,
                                      by_strategy ? strategy : found->with_value, found->why),
                   .code = ExitCode::configuration,
                   .whole = true};
  }
  if (!setting.excludes.empty() && differs) {
    const std::optional<std::string> other = given(setting.excludes);
    if (other && !same_value(train_setting(setting.excludes), other, {})) {
      return Refusal{.why = fmt::format("{} cannot be kept with {}: {}; leave one of the two out",
                                        with_value(setting.excludes, *other), with_value(setting.name, *text),
                                        setting.excludes_because),
                     .code = ExitCode::configuration,
                     .whole = true};
    }
  }
  if (setting.needs.empty() || is_set(setting.needs, given)) return {};
  if (setting.needs_because.empty()) return only_with(flag_text(setting.needs));
  if (!is_set(setting.name, given)) return {};
  return Refusal{.why = fmt::format("--{} needs {}: {}", setting.name, flag_text(setting.needs), setting.needs_because),
                 .whole = true};
}

}  // namespace lockstep
