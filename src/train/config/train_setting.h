#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "train/config/schedules.h"
#include "train/config/settings.h"

namespace lockstep {

// The member that a flag fills. std::monostate: none, as of --help, --config and flags that are accepted and ignored.
using SettingField =
    std::variant<std::monostate, std::string TrainSettings::*, bool TrainSettings::*, std::int64_t TrainSettings::*,
                 std::uint64_t TrainSettings::*, std::optional<std::int64_t> TrainSettings::*,
                 std::optional<double> TrainSettings::*, std::optional<TunableNumber> TrainSettings::*,
                 std::chrono::seconds TrainSettings::*, std::optional<std::chrono::seconds> TrainSettings::*,
                 std::vector<std::string> TrainSettings::*>;

// The effect of a setting's value. A checkpoint keeps the settings that decide something; a run that resumes with
// another value is refused, unless --allow_changes names the setting.
enum class Decides {
  nothing,
  result,             // the result of the run, on any number of ranks
  bits_on_one_world,  // the rounding of sums, for one number of ranks only; may differ for another number
};

// The processes that must agree on a setting.
enum class SettingScope {
  process,  // each has its own, never another's
  task,     // a host, or a task of TF_CONFIG, may have its own, such as a path or a device; else the chief's
  job,      // all ranks have the chief's: another one is refused
};

// The place where a setting is kept.
enum class Kept {
  in_config_json,
  for_one_start,  // says how this start begins; a later start by --config must not repeat it
};

// A flag of `train`, with everything that there is to know about it: a row of the table of settings. Parsing, --help,
// --config, config.json, the start-up line, the agreement of ranks, what a checkpoint compares and the names that
// --allow_changes takes are loops over these rows.
struct TrainSetting {
  std::string_view topic{};        // heading in the help; settings_table.cc sets it, and `seldom`, for a whole file
  bool seldom = false;             // rarely needed, or only by other programs' scripts: in the complete help only
  std::string_view name;           // name of the flag, with underscores
  std::string_view placeholder{};  // name of the value in the help; "" = boolean
  std::string_view help;
  SettingField field{};
  std::string_view alias{};
  std::string_view prefix{};  // "hp_": --hp_NAME=VALUE adds NAME=VALUE to the value

  // Limits of whole numbers and times (in seconds).
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  // Limit of other numbers, which are above 0: up to this one, or below it if below_limit.
  double number_limit = std::numeric_limits<double>::infinity();
  // The texts that are accepted. Empty: any text, but an empty one only if may_be_empty.
  std::span<const std::string_view> choices{};
  // Returns a hint on what to write instead of a refused text, or of none (""); "" if it has none. Null: no hints.
  std::string_view (*hint)(std::string_view refused) = nullptr;
  bool below_limit = false;
  bool may_be_empty = false;
  // True if this setting and instead_of both say when something ends, and both may be given: the one that comes first
  // counts.
  bool first_counts = false;
  // True if measured steps find the fastest value when it is left open, as "auto" or "tune" (train/exchange/).
  bool measured = false;

  Decides decides = Decides::nothing;
  SettingScope scope = SettingScope::job;
  Kept kept = Kept::in_config_json;

  // The value of an optional setting, as text, if neither the user nor a checkpoint gives it: shown by --help and kept
  // in checkpoints.
  std::string_view if_unset{};

  // The works of --schedule with which it has a meaning; empty: all.
  std::span<const Work> of_works{};

  // A setting that has to be given too for this one to have a meaning, and why if that is not plain.
  std::string_view needs{};
  std::string_view needs_because{};
  // A setting that cannot be combined with this one, and why.
  std::string_view excludes{};
  std::string_view excludes_because{};
  // A setting that says the same thing in another way, and what both say.
  std::string_view instead_of{};
  std::string_view both_say{};

  // The default in tensor2tensor. Scripts write defaults out, so this value is never refused.
  std::string_view t2t_default{};
  // For a flag without a field, which exists for such scripts: the reason why it takes no other value than t2t_default.
  // "": it takes any.
  std::string_view no_other{};
};

// All rows, in the order of the help: those of settings/, one file per topic, as settings_table.cc puts them together.
std::span<const TrainSetting> train_settings();
// The row of that name; REQUIRES that there is one.
const TrainSetting& train_setting(std::string_view name);

// The value as a command line gives it ("600" for ten minutes); nothing if it is not set: an optional without a value,
// an empty text or list, false, a flag without a member.
std::optional<std::string> value_text(const TrainSetting& setting, const TrainSettings& settings);
// The same as JSON: a number, true, or a text.
std::optional<Json> value_json(const TrainSetting& setting, const TrainSettings& settings);

// Sets the setting to the value of a text. Returns why the text is refused ("expected ..."), "" if it is accepted.
// REQUIRES: "true" or "false" for a boolean.
std::string assign(const TrainSetting& setting, const std::string& text, TrainSettings& settings);

// True if the program chooses the value: there is none, or it is to be measured.
bool is_left_open(const TrainSetting& setting, const TrainSettings& settings);

// True if a text gives the setting the value that it has when it is not given: "0s" for --save_checkpoints_secs.
bool says_nothing(const TrainSetting& setting, const std::string& text);
// True if a text is the setting's default in tensor2tensor.
bool is_t2t_default(const TrainSetting& setting, const std::string& text);
// True if two texts that the setting accepts give it the same value: "10m" and "600" for a time. Nothing: no text is
// given.
bool same_value(const TrainSetting& setting, const std::optional<std::string>& a, const std::optional<std::string>& b);

// The settings that differ from their defaults as flags: "--model=linear --train_steps=7".
std::string flags_text(const TrainSettings& settings);

}  // namespace lockstep
