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

// The member that a flag fills. None: the flag asks the program for something else (--help).
using SettingField =
    std::variant<std::monostate, std::string TrainSettings::*, bool TrainSettings::*, std::int64_t TrainSettings::*,
                 std::uint64_t TrainSettings::*, std::optional<std::int64_t> TrainSettings::*,
                 std::optional<double> TrainSettings::*, std::optional<TunableNumber> TrainSettings::*,
                 std::chrono::seconds TrainSettings::*, std::optional<std::chrono::seconds> TrainSettings::*,
                 std::vector<std::string> TrainSettings::*>;

// What another value of a setting changes. A checkpoint keeps what decides; a run that resumes with another value is
// refused, unless --allow_changes names the setting.
enum class Decides {
  nothing,
  result,             // the result of the run, on any number of ranks
  bits_on_one_world,  // the rounding of sums, and only on one number of ranks: another number is free to differ
};

// Who has to agree on a setting.
enum class SettingScope {
  process,  // each has its own, and nobody else's
  task,     // a host, or a task of TF_CONFIG, may have its own, as of a path or a device; else the chief's
  job,      // all ranks have the chief's: another one is refused
};

// Where a setting is kept.
enum class Kept {
  in_config_json,
  for_one_start,  // says how this start begins; a later start by --config must not repeat it
};

// One flag of `train`, and all there is to know about it: a row of the table of settings. Parsing, --help, --config,
// config.json, the start-up line, the agreement of ranks, what a checkpoint compares and the names that
// --allow_changes takes are loops over these rows.
struct TrainSetting {
  std::string_view topic{};        // in the help; the table gives it to all rows of a file, and this:
  bool seldom = false;             // needed, or by scripts of other programs alone: in the help as a whole only
  std::string_view name;           // with underscores
  std::string_view placeholder{};  // of its value; "" = boolean
  std::string_view help;
  SettingField field{};
  std::string_view alias{};
  std::string_view prefix{};  // "hp_": --hp_NAME=VALUE adds NAME=VALUE to the value

  // Of whole numbers and times (in seconds).
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  // Of numbers, which are above 0: up to this one, or below it if below_limit.
  double number_limit = std::numeric_limits<double>::infinity();
  // Of texts: what is taken. Empty: anything, but an empty text only if may_be_empty.
  std::span<const std::string_view> choices{};
  // A hint on what to write instead of a text that is refused, or of none (asked with ""); "" if that is not known.
  std::string_view (*hint)(std::string_view refused) = nullptr;
  bool below_limit = false;
  bool may_be_empty = false;
  // Of two that say when something ends (instead_of), both may be given: the one that comes first counts.
  bool first_counts = false;
  // Left open, as "auto" or "tune", it is what measured steps show to be the fastest (train/tuning/).
  bool measured = false;

  Decides decides = Decides::nothing;
  SettingScope scope = SettingScope::job;
  Kept kept = Kept::in_config_json;

  // What an optional setting is when neither the user nor a checkpoint gives it, as text: shown by --help and kept in
  // checkpoints.
  std::string_view if_unset{};

  // What --schedule has to be for it to have a meaning; empty: anything.
  std::span<const Work> of_works{};

  // A setting that has to be given too for this one to have a meaning, and why if that is not plain.
  std::string_view needs{};
  std::string_view needs_because{};
  // A setting that cannot be kept beside this one, and why.
  std::string_view excludes{};
  std::string_view excludes_because{};
  // A setting that says the same thing in another way, and what both say.
  std::string_view instead_of{};
  std::string_view both_say{};

  // What it is in tensor2tensor if it is not given. Scripts write defaults out: given so, it is refused nowhere.
  std::string_view t2t_default{};
  // Of a flag without a field, which is there for such scripts: why it takes no other value than that. "": it takes
  // any.
  std::string_view no_other{};
};

// All rows, in the order of the help: those of settings/, a file a topic, as settings_table.cc puts them together.
std::span<const TrainSetting> train_settings();
// The row of that name; REQUIRES that there is one.
const TrainSetting& train_setting(std::string_view name);

// The value as a command line gives it ("600" for ten minutes); nothing if it is not set: an optional without a value,
// an empty text or list, false.
std::optional<std::string> value_text(const TrainSetting& setting, const TrainSettings& settings);
// The same as JSON has it: a number, true, or a text.
std::optional<Json> value_json(const TrainSetting& setting, const TrainSettings& settings);

// Gives the setting the value of a text. Returns why the text is refused ("expected ..."), "" if it is taken.
// REQUIRES: "true" or "false" for a boolean.
std::string assign(const TrainSetting& setting, const std::string& text, TrainSettings& settings);

// Whether the program is to choose the value: there is none, or it is to be measured.
bool is_left_open(const TrainSetting& setting, const TrainSettings& settings);

// Whether a text gives the setting the value that it has if it is not given: "0s" for --save_checkpoints_secs.
bool says_nothing(const TrainSetting& setting, const std::string& text);
// Whether a text is the value that it has in tensor2tensor if it is not given.
bool is_t2t_default(const TrainSetting& setting, const std::string& text);
// Whether two texts, which it takes, give it the same value: "10m" and "600" for a time. Nothing: it is not given.
bool same_value(const TrainSetting& setting, const std::optional<std::string>& a, const std::optional<std::string>& b);

// The settings that differ from their defaults as flags: "--model=linear --train_steps=7".
std::string flags_text(const TrainSettings& settings);

}  // namespace lockstep
