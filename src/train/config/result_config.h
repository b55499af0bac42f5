#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hparams.h"
#include "base/json.h"
#include "train/config/run_plan.h"
#include "train/config/train_setting.h"

namespace lockstep {

// One thing that decides a run's result, as text: {"learning_rate", "0.1"}, {"strategy", "sync"}. The name is what
// --allow_changes takes: a flag's, an hparam's ("hparam_ema" if a flag has that name already), or one of ours.
struct ConfigItem {
  std::string name;
  std::string value;
  bool same_world_only = false;  // decides bits on one number of ranks only: another number is free to differ
  bool operator==(const ConfigItem&) const = default;
};

// The training split, as far as a run depends on it.
struct TrainingData {
  std::int64_t samples = 0;
  std::string digest{};  // train/config/data_digest.h; "" where they are generated
  // data_checksum() of it and of the dev split, of sequences, which lie in memory; "" of others.
  std::string checksum{};
  std::string dev_checksum{};
};

// What decides the result of a run: the settings in use that the table marks so, the data and how they are cut, the
// hparams, the user's library, and what decides the bits of a sum (not with --exact, nor on one rank). Not the number
// of steps or ranks. An item that is not set is left out. Pure. summation: "mpi, Open MPI 4.1.4"; "" where one rank
// sums nothing.
std::vector<ConfigItem> config_items(const TrainSettings& settings, std::span<const TrainSetting* const> in_use,
                                     const HParams& hparams, const RunPlan& plan, const TrainingData& data,
                                     const std::string& summation);

// The items of hparams alone; how many steps to make is none.
std::vector<ConfigItem> hparam_items(const HParams& hparams);
inline constexpr std::string_view kSamplesItem = "training_samples";  // the item that says how many there are

inline constexpr std::string_view kSummationItem = "summation";  // what decides the bits of a sum

// Since when every step has taken that many samples (the last one of an epoch what was left): from there the place in
// the data follows, whatever was before. A run that is resumed with another batch or other data begins anew.
struct SavedBatches {
  std::int64_t global_batch = 0;
  BatchCursor since{};
  bool operator==(const SavedBatches&) const = default;
};

// A setting that the user left to the program, and what it found to be the fastest. It is used again on as many
// ranks where it is still left open, and never compared: what of it decides bits is an item as well.
struct MeasuredSetting {
  std::string name;
  std::string value;
  bool operator==(const MeasuredSetting&) const = default;
};

// The items as one JSON object, for the checkpoint, and back. Throws Error(usage) of every rank for a text that is not
// UTF-8, JsonError for JSON that is not of that form.
std::string to_json(std::span<const ConfigItem> items, int ranks, const std::optional<SavedBatches>& batches = {},
                    std::span<const MeasuredSetting> measured = {});
struct SavedConfig {
  std::vector<ConfigItem> items;
  int ranks = 0;
  std::optional<SavedBatches> batches{};  // none in files of older versions and of other programs
  std::vector<MeasuredSetting> measured{};
};
SavedConfig saved_config(std::string_view json);

// What a run has that changes nothing: each setting and each hparam with its default. An older version wrote no item
// for a setting or hparam that was added since, and computed as today's default does. shared: the hparams that every
// set has; set: those of the run's set, for what only a model has.
std::vector<ConfigItem> default_items(const HParams& shared, const HParams& set);

// Whether the item of that name has another value now than in the checkpoint, or than its default where that lacks it.
bool has_changed(const SavedConfig& saved, std::span<const ConfigItem> now, std::span<const ConfigItem> defaults,
                 std::string_view name);

// The only item of a checkpoint of a program other than train: whose it is, for the message that refuses it.
inline constexpr std::string_view kWrittenByItem = "written_by";

// Throws Error(usage) of every rank, with the nearest name, if --allow_changes names what no run has. saved: empty for
// a run that resumes from nothing.
void check_allowed_names(const SavedConfig& saved, std::span<const ConfigItem> now,
                         std::span<const std::string> allowed);

// Whether a checkpoint's weights can be those of this run's model.
enum class Weights { fit, of_another_model };

// Throws Error(configuration) that names the items that differ, the first of many, with the saved and the present
// value, and the flag that accepts them, unless they are more than a message can hold, or the weights are another
// model's: then nothing helps but another folder. An item that the saved config lacks has its default there. allowed:
// names given by --allow_changes, checked as above. Returns the changes that were allowed, a line each, for the log. A
// saved config without items is another program's: it is accepted, which a line says.
std::vector<std::string> check_config(const SavedConfig& saved, std::span<const ConfigItem> now,
                                      std::span<const ConfigItem> defaults, int ranks,
                                      std::span<const std::string> allowed, const std::string& checkpoint,
                                      Weights weights = Weights::fit);

// Gives the settings that decide the bits of a sum, and that the user left open, the values they had in the checkpoint,
// where it comes from the same number of ranks, else the table's. One that is to be measured and was not stays open.
void fill_in_bits(TrainSettings& settings, const SavedConfig* saved, int ranks);

// Gives the settings that are still left open what was measured for the checkpoint on as many ranks. Returns these.
std::vector<MeasuredSetting> use_measured(TrainSettings& settings, const SavedConfig* saved, int ranks);

// What a start came to that no flag says: a note in config.json, which --config passes over.
struct StartNote {
  int ranks = 1;                  // with a replica of the model
  std::int64_t global_batch = 1;  // samples of a step
};
inline constexpr std::string_view kStartNoteKey = "start";

// config.json: the note, then the settings in use as --config reads them, hparams resolved: {"start": {"version":
// "0.1.0", "ranks": 2, "global_batch": 256}, "problem": "image_shapes", ..., "hparams": {...}}. One flag a line. What
// is meant for one start only is left out. Throws Error for the name of a file that is not UTF-8.
std::string config_json(const TrainSettings& settings, std::span<const TrainSetting* const> in_use,
                        const HParams& hparams, const StartNote& start);

}  // namespace lockstep
