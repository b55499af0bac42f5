#include "launch/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/durable_file.h"
#include "base/error.h"
#include "base/hparams_clause.h"
#include "base/hparams_json.h"
#include "base/json.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

// What a program is asked once, not what a run is made of.
constexpr std::array<std::string_view, 6> kNotInFiles = {"config",        "help",          "version",
                                                         "registry_help", "print_hparams", "print_schedule"};

class ConfigReader {
 public:
  ConfigReader(const std::string& path, std::span<const Flag> flags) : flags_(flags) { result_.path = path; }

  ConfigFile read(const Json& json) && {
    const auto* const object = json.as<Json::Object>();
    if (object == nullptr) {
      refuse(R"(expected one JSON object of flags, such as {"model": "mlp", "train_steps": 500})");
    }
    for (const auto& [spelled, value] : *object) add(spelled, value);
    return std::move(result_);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ExitCode::usage, fmt::format("--config={}: {}", result_.path, why), Scope::every_rank);
  }

 private:
  void add(const std::string& spelled, const Json& value) {
    const Flag& flag = flag_of(spelled);
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

  const Flag& flag_of(const std::string& spelled) const {
    std::string name = spelled;
    std::ranges::replace(name, '-', '_');
    const Flag* const flag = find_flag(flags_, name);
    if (flag == nullptr) {
      refuse(fmt::format("unknown flag '{}'{}; train --help lists the flags", spelled,
                         did_you_mean(name, names_of(flags_))));
    }
    if (!flag->refusal.empty()) refuse(fmt::format("'{}' {}", spelled, flag->refusal));
    if (std::ranges::find(kNotInFiles, flag->name) != kNotInFiles.end()) {
      refuse(fmt::format("'{}' has a meaning on the command line only; take it out of the file", spelled));
    }
    return *flag;
  }

  // As a command line gives the value.
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
    return value.text();
  }

  std::span<const Flag> flags_;
  std::set<std::string_view> seen_;
  ConfigFile result_;
};

// The overrides of both texts: of a name that both have, the second one's.
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

// Takes out of the file what has no meaning beside what the command line says.
class Pruner {
 public:
  Pruner(ConfigFile& file, const CommandLine& line) : file_(file), line_(line) {}

  void prune() {
    alternatives("train_steps", "train_epochs");
    alternatives("save_checkpoints_steps", "save_checkpoints_secs");
    prune_strategy();
    prune_hparams();
  }

 private:
  void drop(std::string_view name) {
    if (const auto found = file_.flags.find(name); found != file_.flags.end()) file_.flags.erase(found);
  }
  std::optional<std::string> of_file(std::string_view name) const {
    const auto found = file_.flags.find(name);
    if (found == file_.flags.end()) return {};
    return found->second;
  }
  bool changes(std::string_view name, const std::string& value) const {
    return line_.given(name) && line_.text(name) != value;
  }

  void alternatives(std::string_view one, std::string_view other) {
    if (!line_.given(one) && !line_.given(other)) return;
    drop(one);
    drop(other);
  }

  void prune_strategy() {
    if (line_.given("exact") && !line_.on("exact")) drop("micro_shards");
    if (!line_.given("strategy")) return;
    if (line_.text("strategy") != "model_averaging") {
      drop("sync_every");
    } else {
      drop("fusion_mb");
      drop("overlap");
    }
  }

  void prune_hparams() {
    const std::string model = of_file("model").value_or(std::string(line_.flag("model").default_text));
    const std::string set = of_file("hparams_set").value_or(model);
    const bool other_model = changes("model", model);
    const bool other_set = line_.given("hparams_set") ? changes("hparams_set", set) : other_model;
    if (other_model) drop("hparams_set");
    if (!other_set) return;
    drop("hparams");
    file_.hparams = {};
  }

  ConfigFile& file_;
  const CommandLine& line_;
};

}  // namespace

ConfigFile parse_config(std::string_view text, const std::string& path, std::span<const Flag> flags) {
  ConfigReader reader(path, flags);
  try {
    return std::move(reader).read(parse_json(text));
  } catch (const JsonError& error) {
    ConfigReader(path, flags).refuse(error.what());
  }
}

ConfigFile read_config(const std::string& path, std::span<const Flag> flags) {
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& error) {  // which knows nothing of flags
    throw Error(error.code(), fmt::format("--config={}: {}", path, error.what()), Scope::every_rank);
  }
  return parse_config(text, path, flags);
}

HParams fill_from(ConfigFile file, CommandLine& line) {
  Pruner(file, line).prune();
  if (const auto overrides = file.flags.find("hparams"); overrides != file.flags.end() && line.given("hparams")) {
    line.put("hparams", merged_overrides(overrides->second, line.text("hparams")), "");
  }
  for (auto& [name, value] : file.flags) {
    if (!line.given(name)) line.put(name, std::move(value), "--config=" + file.path);
  }
  return std::move(file.hparams);
}

}  // namespace lockstep
