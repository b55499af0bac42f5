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

// An item that decides a run's result, as text: {"learning_rate", "0.1"}, {"strategy", "sync"}. --allow_changes takes
// its name: a flag's, an hparam's ("hparam_ema" if another item has that name), or that of a fact: "training_data".
struct ConfigItem {
  std::string name;
  std::string value;
  bool same_world_only = false;  // true: decides only the rounding of sums; may differ on another number of ranks
  bool operator==(const ConfigItem&) const = default;
};

// The training split, as far as a run depends on it, and a checksum of the dev split.
struct TrainingData {
  std::int64_t samples = 0;
  std::string digest{};  // data_digest(); "" if samples are generated, or nothing compares them
  // data_checksum() of the training and the dev split, if these are sequences, which are in memory, and have a digest;
  // else "".
  std::string checksum{};
  std::string dev_checksum{};
};

// The items that decide the result of a run: the settings in use that the table marks so, the data and how they are
// cut, the hparams, the user's library, and what decides the bits of a sum (not with --exact, nor on one rank). The
// numbers of steps and ranks are not among them. An item that is not set is left out. Pure. summation: "mpi, Open MPI
// 4.1.4"; "" on one rank, which sums nothing.
std::vector<ConfigItem> config_items(const TrainSettings& settings, std::span<const TrainSetting* const> in_use,
                                     const HParams& hparams, const RunPlan& plan, const TrainingData& data,
                                     const std::string& summation);

// The items of hparams alone; the number of steps is not an item.
std::vector<ConfigItem> hparam_items(const HParams& hparams);
inline constexpr std::string_view kSamplesItem = "training_samples";  // the number of training samples

inline constexpr std::string_view kSummationItem = "summation";  // how gradients are summed

// The batch size of all steps since a position in the data (the last step of an epoch takes what is left): the present
// position follows from the two, whatever came before; missed batches count as steps, since the position lies after
// them. Both start afresh if a run is resumed with another batch or other data.
struct SavedBatches {
  std::int64_t global_batch = 0;
  BatchCursor since{};
  bool operator==(const SavedBatches&) const = default;
};

// A setting that the user left to the program, and the value measured as the fastest. A run on as many ranks uses the
// value again if the setting is still left open. It is never compared: a setting that decides bits is an item as well.
struct MeasuredSetting {
  std::string name;
  std::string value;
  bool operator==(const MeasuredSetting&) const = default;
};

// The items as one JSON object, for the checkpoint; saved_config() reads it back. to_json() throws Error(usage) of
// every rank for a text that is not UTF-8, saved_config() JsonError for JSON that is not of that form.
std::string to_json(std::span<const ConfigItem> items, int ranks, const std::optional<SavedBatches>& batches = {},
                    std::span<const MeasuredSetting> measured = {}, std::int64_t most_batches_of_step = 1);
struct SavedConfig {
  std::vector<ConfigItem> items;
  int ranks = 0;
  std::optional<SavedBatches> batches{};  // none in files of older versions and of other programs
  std::vector<MeasuredSetting> measured{};
  std::int64_t most_batches_of_step = 1;  // in the run so far: more than one if gradients were added up for a step
};
SavedConfig saved_config(std::string_view json);
// The strategy of the run that saved it, by the name that checkpoints record.
std::string saved_strategy(const SavedConfig& saved);

// The items that change nothing: each setting and each hparam with its default. An older version wrote no item for a
// setting or hparam that was added since, and computed as today's default does. shared: the hparams that every set has;
// set: those of the run's set, for the hparams that only a model has.
std::vector<ConfigItem> default_items(const HParams& shared, const HParams& set);

// Returns whether the item of that name has another value now than in the checkpoint, or than its default if the
// checkpoint lacks it. False if there is no such item now. Data count as the same if one digest begins with the other.
bool has_changed(const SavedConfig& saved, std::span<const ConfigItem> now, std::span<const ConfigItem> defaults,
                 std::string_view name);

// The only item in a checkpoint that a user's own training loop wrote: it says so in the message that refuses the
// checkpoint.
inline constexpr std::string_view kWrittenByItem = "written_by";

// Throws Error(usage) of every rank, with the nearest name, if --allow_changes has a name that no item of a run has.
// saved: empty for a run that resumes from nothing.
void check_allowed_names(const SavedConfig& saved, std::span<const ConfigItem> now,
                         std::span<const std::string> allowed);

// Result of checking whether a checkpoint's weights fit this run's model.
enum class Weights { fit, of_another_model };

// Throws Error(configuration) of every rank that names the items that differ, the first of many, with the saved and the
// present value. It also gives the flag that accepts them, unless they are too many for a message, or the weights are
// another model's: then only another folder helps. An item that the saved config lacks has its default there. allowed:
// names given by --allow_changes; throws as check_allowed_names() does. Returns lines for the log: the changes that
// were allowed, and a dev split that differs. A saved config without items is another program's: it is accepted, and a
// line says so; one with kWrittenByItem is refused.
std::vector<std::string> check_config(const SavedConfig& saved, std::span<const ConfigItem> now,
                                      std::span<const ConfigItem> defaults, int ranks,
                                      std::span<const std::string> allowed, const std::string& checkpoint,
                                      Weights weights = Weights::fit);

// Fills in the settings that decide the bits of a sum and that the user left open: with the checkpoint's values if it
// comes from the same number of ranks and --exact is off, else with the table's. A setting that is to be measured and
// was not stays open. saved: null without a checkpoint.
void fill_in_bits(TrainSettings& settings, const SavedConfig* saved, int ranks);

// Fills in the settings that are still left open with the values measured for the checkpoint, if that is from as many
// ranks. Returns the settings that it filled in. saved: null without a checkpoint.
std::vector<MeasuredSetting> use_measured(TrainSettings& settings, const SavedConfig* saved, int ranks);

// Facts about a start that no flag gives: a note in config.json, which --config ignores.
struct StartNote {
  int ranks = 1;                  // ranks with a replica of the model
  std::int64_t global_batch = 1;  // samples of a step
};
inline constexpr std::string_view kStartNoteKey = "start";

// config.json: the note, then the settings in use as --config reads them, hparams resolved: {"start": {"version":
// "0.2.0", "ranks": 2, "global_batch": 256}, "problem": "image_shapes", ..., "hparams": {...}}. One flag per line.
// Settings for one start only are left out. Throws Error(configuration) for a value that is not UTF-8, such as a file's
// name.
std::string config_json(const TrainSettings& settings, std::span<const TrainSetting* const> in_use,
                        const HParams& hparams, const StartNote& start);

}  // namespace lockstep
