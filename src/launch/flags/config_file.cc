#include "launch/flags/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/hparams_clause.h"
#include "base/hparams_json.h"
#include "base/input_file.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "launch/flags/foreign_flags.h"
#include "train/config/result_config.h"
#include "train/registry/setting_rules.h"

namespace lockstep {
namespace {

// Far more than all flags and hyperparameters; ends the reading of a device that never ends.
constexpr std::int64_t kMaxConfigBytes = 16 << 20;

class ConfigReader {
 public:
  ConfigReader(const std::string& path, std::span<const Flag> flags) : flags_(flags) { result_.path = path; }

  ConfigFile read(const Json& json) && {
    const auto* const object = json.as<Json::Object>();
    if (object == nullptr) {
      refuse(R"(expected one JSON object of flags, such as {"model": "mlp", "train_steps": 500})");
    }
    for (const auto& [spelled, value] : *object) {
      const bool note = spelled == kStartNoteKey && value.as<Json::Object>() != nullptr;  // a run's note, for people
      if (!note) add(spelled, value);
    }
    return std::move(result_);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ExitCode::usage, fmt::format("--config={}: {}", result_.path, why), Scope::every_rank);
  }

 private:
  void add(const std::string& spelled, const Json& value) {
    const Flag& flag = flag_of(spelled, value);
    if (!seen_.insert(flag.name).second) {
      refuse(fmt::format("'{}' is given twice (dashes are underscores{}); keep one", flag.name,
                         flag.alias.empty() ? "" : fmt::format(", and '{}' is another name for it", flag.alias)));
    }
    if (flag.name == "hparams" && value.as<Json::Object>() != nullptr) {
      result_.hparams = hparam_values(value, fmt::format("--config={}: 'hparams'", result_.path));
    } else {
      result_.flags.emplace(flag.name, text_of(flag, value));
    }
  }

  const Flag& flag_of(const std::string& spelled, const Json& value) const {
    std::string name = spelled;
    std::ranges::replace(name, '-', '_');
    const Flag* const flag = find_flag(flags_, name);
    if (flag == nullptr) {
      const auto* const text = value.as<std::string>();
      const std::string meaning = meaning_here(name, text != nullptr ? *text : shown(value));
      if (!meaning.empty()) refuse(fmt::format("unknown flag {}: {}", in_quotes(spelled), meaning));
      refuse(fmt::format("unknown flag {}{}; train --help lists the flags", in_quotes(spelled),
                         did_you_mean(name, names_of(flags_))));
    }
    if (train_setting(flag->name).field.index() == 0) {  // it asks for something else than training
      refuse(fmt::format("'{}' has a meaning on the command line only; take it out of the file", spelled));
    }
    return *flag;
  }

  // The value as a command line gives it.
  std::string text_of(const Flag& flag, const Json& value) const {
    const auto* const text = value.as<std::string>();
    const bool number =
        flag.name != "hparams" && (value.as<std::int64_t>() != nullptr || value.as<double>() != nullptr);
    const bool boolean = value.as<bool>() != nullptr;
    if (flag.placeholder.empty() ? boolean : number) return value.text();
    if (!flag.placeholder.empty() && text != nullptr) return *text;
    const char* expected = "a text or a number";
    if (flag.placeholder.empty()) expected = "true or false";
    if (flag.name == "hparams") expected = "a text or an object";
    refuse(fmt::format("'{}' is {}, but {} is needed", flag.name, shown(value), expected));
  }

  static std::string shown(const Json& value) {
    if (value.as<Json::Object>() != nullptr) return "an object";
    if (value.as<Json::Array>() != nullptr) return "a list";
    return escaped(value.text());
  }

  std::span<const Flag> flags_;
  std::set<std::string_view> seen_;
  ConfigFile result_;
};

// Merges the overrides of two texts: for a name in both, the second one's.
std::string merged_overrides(std::string_view first, std::string_view second) {
  std::set<std::string_view> replaced;
  for (std::string_view rest = second; !rest.empty();) {
    const auto clause = first_hparams_clause(rest);
    if (!clause) break;  // HParams::parse() will say what is wrong with it
    replaced.insert(clause->name);
    rest.remove_prefix(clause->characters);
  }
  std::string text;
  const auto append = [&](std::string_view more) {
    const auto last = text.find_last_not_of(' ');
    const bool ended = last == std::string::npos || text[last] == ',';
    if (!ended && !more.empty()) text += ',';
    text += more;
  };
  while (!first.empty()) {
    const auto clause = first_hparams_clause(first);
    const std::size_t characters = clause ? clause->characters : first.size();
    if (!clause || !replaced.contains(clause->name)) append(first.substr(0, characters));
    first.remove_prefix(characters);
  }
  append(second);
  return text;
}

// Removes from the file what the command line says in another way, or leaves without a meaning.
class Pruner {
 public:
  Pruner(ConfigFile& file, const CommandLine& line) : file_(file), line_(line) {}

  void drop_alternatives() {
    for (const TrainSetting& setting : train_settings()) {
      if (setting.instead_of.empty()) continue;
      const bool this_one = line_.given(setting.name) && !says_nothing(setting, line_.text(setting.name));
      if (!this_one && !line_.given(setting.instead_of)) continue;
      drop(setting.name);
      drop(setting.instead_of);
    }
  }

  void drop_hparams_of_another_set(const Registry& registry) {
    const std::string problem = file_.flag("problem").value_or(TrainSettings{}.problem);
    const std::string model = file_.flag("model").value_or(default_model(registry, problem));
    const std::string set = file_.flag("hparams_set").value_or(model);
    const bool other_model = changes("model", model);
    const bool other_set = line_.given("hparams_set") ? changes("hparams_set", set) : other_model;
    if (other_model) drop("hparams_set");
    if (!other_set) return;
    drop("hparams");
    file_.hparams = {};
  }

  // Contradictions, and flags that make no sense in the file itself, are left for the user to see.
  void drop_meaningless(const Registry& registry) {
    const GivenTexts in_file = [this](std::string_view name) { return file_.flag(name); };
    const GivenTexts in_both = [this](std::string_view name) {
      return line_.given(name) ? std::optional(line_.text(name)) : file_.flag(name);
    };
    const ConfigFile whole = file_;
    for (const TrainSetting& setting : train_settings()) {
      if (!whole.flag(setting.name) || line_.given(setting.name)) continue;
      const auto refusal = refusal_of(setting, in_both, registry);
      if (refusal && refusal->code == ExitCode::usage && !refusal_of(setting, in_file, registry)) drop(setting.name);
    }
  }

 private:
  void drop(std::string_view name) {
    if (const auto found = file_.flags.find(name); found != file_.flags.end()) file_.flags.erase(found);
  }
  bool changes(std::string_view name, const std::string& value) const {
    return line_.given(name) && line_.text(name) != value;
  }

  ConfigFile& file_;
  const CommandLine& line_;
};

// Hint for a user who gives the folder of a run: its config.json, if it exists.
std::string file_in(const std::string& folder) {
  const std::string inside = (std::filesystem::path(folder) / "config.json").string();
  std::error_code unknown;
  return std::filesystem::is_regular_file(inside, unknown) ? fmt::format("; {} is there", inside) : "";
}

}  // namespace

ConfigFile parse_config(std::string_view text, const std::string& path, std::span<const Flag> flags) {
  ConfigReader reader(path, flags);
  try {
    return std::move(reader).read(parse_json(text));
  } catch (const JsonError& error) {
    ConfigReader(path, flags).refuse(error.what());
  }
}

std::string read_config_text(const std::string& path) {
  try {
    return read_file(path, {.kind = FileRules::Kind::stream, .max_bytes = kMaxConfigBytes});
  } catch (const Error& error) {  // it knows nothing of flags
    throw Error(error.code(), fmt::format("--config={}: {}{}", path, error.what(), file_in(path)), Scope::every_rank);
  }
}

std::optional<std::string> ConfigFile::flag(std::string_view name) const {
  const auto found = flags.find(name);
  return found == flags.end() ? std::nullopt : std::optional(found->second);
}

HParams fill_from(ConfigFile file, CommandLine& line, const Registry& registry, const JobReach& job) {
  Pruner pruner(file, line);
  pruner.drop_alternatives();
  pruner.drop_hparams_of_another_set(registry);
  const std::string source = "--config=" + file.path;
  if (const auto strategy = file.flag("strategy")) {
    const std::string shown = fmt::format("{}: --strategy={}", source, escaped(*strategy));
    const bool counts = !line.given("strategy");
    file.flags["strategy"] = strategy_called(*strategy, shown, registry.strategies, counts ? job : JobReach{});
    if (counts) line.put("strategy", file.flags["strategy"], source);
  }
  pruner.drop_meaningless(registry);
  if (const auto overrides = file.flags.find("hparams"); overrides != file.flags.end() && line.given("hparams")) {
    line.put("hparams", merged_overrides(overrides->second, line.text("hparams")), "");
  }
  for (auto& [name, value] : file.flags) {
    if (!line.given(name)) line.put(name, std::move(value), source);
  }
  return std::move(file.hparams);
}

void resolve_strategy(CommandLine& line, const Registry& registry, const JobReach& job) {
  if (!line.given("strategy")) return;
  const std::string own = strategy_called(line.text("strategy"), line.shown("strategy"), registry.strategies, job);
  if (own != line.text("strategy")) line.put("strategy", own, "");
}

}  // namespace lockstep
