#include "train/config/result_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/hparams_json.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "checkpoint/format.h"
#include "train/config/settings/how_ranks_agree.h"

namespace lockstep {
namespace {

// Names of items that are facts found by the run, not settings.
constexpr std::string_view kData = "training_data";
constexpr std::string_view kDevData = "dev_data";  // decides no result, but which evaluations are comparable
constexpr std::string_view kBlocks = "training_blocks";
constexpr std::string_view kLibrary = "usr_lib";  // its SHA-256, not its path

// The names of items besides those of hparams. dev_data is not among them: its changes are never refused.
std::vector<std::string> item_names() {
  std::vector<std::string> names;
  for (const TrainSetting& setting : train_settings()) {
    if (setting.decides != Decides::nothing) names.emplace_back(setting.name);
  }
  for (const std::string_view name : {kSamplesItem, kData, kBlocks, kLibrary, kSummationItem}) names.emplace_back(name);
  return names;
}

std::string hparam_item(const std::string& name, const std::vector<std::string>& taken) {
  return std::ranges::find(taken, name) == taken.end() ? name : "hparam_" + name;
}

void add_settings(const TrainSettings& settings, std::span<const TrainSetting* const> in_use, Decides decides,
                  std::vector<ConfigItem>& items) {
  for (const TrainSetting* const setting : in_use) {
    if (setting->decides != decides) continue;
    std::string text = value_text(*setting, settings).value_or(std::string(setting->if_unset));
    if (text.empty()) continue;
    items.push_back({std::string(setting->name), std::move(text), decides == Decides::bits_on_one_world});
  }
}

void add_hparams(const HParams& hparams, std::vector<ConfigItem>& items) {
  const std::vector<std::string> taken = item_names();
  for (const auto& [name, value] : hparams.values()) {
    if (name == "train_steps") continue;  // more steps of the same run
    std::string text = std::visit([](const auto& typed) { return fmt::format("{}", typed); }, value);
    items.push_back({hparam_item(name, taken), std::move(text)});
  }
}

const ConfigItem* find(std::span<const ConfigItem> items, std::string_view name) {
  const auto found = std::ranges::find(items, name, &ConfigItem::name);
  return found == items.end() ? nullptr : &*found;
}

struct Change {
  std::string name;
  const ConfigItem* before;  // null: not set
  const ConfigItem* now;     // null: not set
};

bool is_default(const ConfigItem& item, std::span<const ConfigItem> defaults) {
  const ConfigItem* const value = find(defaults, item.name);
  return value != nullptr && value->value == item.value;
}

// True if the change makes another training split, so that other samples follow from it: the seed draws the samples
// that are held out.
bool makes_other_samples(const Change& change, bool holds_out) {
  return change.name == "problem" || change.name == "holdout" || (change.name == "random_seed" && holds_out);
}

bool is_of_samples(const Change& change) {
  return change.name == kSamplesItem || change.name == kData || change.name == kDevData || change.name == kBlocks;
}

std::vector<Change> changes(const SavedConfig& saved, std::span<const ConfigItem> now,
                            std::span<const ConfigItem> defaults, int ranks) {
  const auto counts = [&](const ConfigItem& item) { return !item.same_world_only || saved.ranks == ranks; };
  std::vector<Change> result;
  for (const ConfigItem& item : now) {
    const ConfigItem* const before = find(saved.items, item.name);
    if (counts(item) && has_changed(saved, now, defaults, item.name)) {
      result.push_back({item.name, before, &item});
    }
  }
  for (const ConfigItem& item : saved.items) {
    if (item.name == kDevData) continue;
    if (counts(item) && find(now, item.name) == nullptr) result.push_back({item.name, &item, nullptr});
  }
  const bool holds_out = find(now, "holdout") != nullptr;
  const auto explains = [holds_out](const Change& change) { return makes_other_samples(change, holds_out); };
  if (std::ranges::any_of(result, explains)) std::erase_if(result, is_of_samples);
  return result;
}

std::string value_text(const ConfigItem* item) {
  if (item == nullptr) return "not set";
  constexpr std::size_t kShownDigits = 16;
  if (item->name == kLibrary) {
    return fmt::format("a library of SHA-256 {}...", escaped(std::string_view(item->value).substr(0, kShownDigits)));
  }
  return in_quotes(item->value);
}

}  // namespace

void check_allowed_names(const SavedConfig& saved, std::span<const ConfigItem> now,
                         std::span<const std::string> allowed) {
  const std::vector<std::string> fixed = item_names();
  std::vector<std::string> names = fixed;
  for (const auto& items : {std::span<const ConfigItem>(saved.items), now}) {
    for (const ConfigItem& item : items) names.push_back(item.name);
  }
  for (const std::string& name : allowed) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw Error(ExitCode::usage,
                fmt::format("--allow_changes={}: nothing of a run has the name {}{}; it takes names of hparams and {}",
                            escaped(fmt::format("{}", fmt::join(allowed, ","))), in_quotes(name),
                            did_you_mean(name, names), fmt::join(fixed, ", ")),
                Scope::every_rank);
  }
}

namespace {

constexpr std::size_t kMaxShownChanges = 20;

// The end of the message that refuses these changes. A flag to copy must be given whole, or not at all.
std::string third_way(std::span<const Change> all, Weights weights) {
  if (weights != Weights::fit) return ". Its weights are of another model, which this one cannot resume from";
  std::vector<std::string> names;
  for (const Change& change : all) {
    const bool copied = change.name == escaped(change.name) && change.name.find(',') == std::string::npos;
    if (all.size() > kMaxShownChanges || !copied) return "";
    names.push_back(change.name);
  }
  return fmt::format("; to resume from it with the new values, add --allow_changes={}", fmt::join(names, ","));
}

// The changes that are shown. If the model is another one with other weights, changes of hparams follow from that and
// are left out.
std::vector<Change> told(std::span<const Change> refused, Weights weights) {
  std::vector<Change> shown(refused.begin(), refused.end());
  const bool other_model = weights != Weights::fit && std::ranges::find(shown, "model", &Change::name) != shown.end();
  if (other_model) {
    const std::vector<std::string> fixed = item_names();
    std::erase_if(shown, [&](const Change& change) { return std::ranges::find(fixed, change.name) == fixed.end(); });
  }
  if (shown.size() > kMaxShownChanges) shown.erase(shown.begin() + kMaxShownChanges, shown.end());
  return shown;
}

[[noreturn]] void refuse(std::span<const Change> all, std::span<const Change> refused, const std::string& checkpoint,
                         Weights weights) {
  std::string lines;
  const std::vector<Change> shown = told(refused, weights);
  for (const Change& change : shown) {
    const char* digest = change.name == kData ? " (a checksum: the samples themselves have changed)" : "";
    lines += fmt::format("\n    {}: {} there, {} here{}", escaped(change.name), value_text(change.before),
                         value_text(change.now), digest);
  }
  if (refused.size() > shown.size()) lines += fmt::format("\n    and {} more", refused.size() - shown.size());
  throw Error(ExitCode::configuration,
              fmt::format("{} was written by a run that differs from this one in what changes the result:{}\n"
                          "  To continue that run, give its values again; to start another one, give another "
                          "--output_dir{}",
                          in_quotes(checkpoint), lines, third_way(all, weights)),
              Scope::every_rank);
}

}  // namespace

std::vector<ConfigItem> hparam_items(const HParams& hparams) {
  std::vector<ConfigItem> items;
  add_hparams(hparams, items);
  return items;
}

std::vector<ConfigItem> config_items(const TrainSettings& settings, std::span<const TrainSetting* const> in_use,
                                     const HParams& hparams, const RunPlan& plan, const TrainingData& data,
                                     const std::string& summation) {
  std::vector<ConfigItem> items;
  const auto add = [&](std::string_view name, std::string value, bool same_world_only = false) {
    items.push_back({std::string(name), std::move(value), same_world_only});
  };
  add_settings(settings, in_use, Decides::result, items);
  add(kSamplesItem, std::to_string(data.samples));
  if (!data.digest.empty()) add(kData, data.checksum.empty() ? data.digest : data.digest + "-" + data.checksum);
  if (!data.dev_checksum.empty()) add(kDevData, data.dev_checksum);
  if (const BlockLayout layout = plan.batches->layout(); layout.block > 0) {
    add(kBlocks, fmt::format("{} in windows of {}", layout.block, layout.window_blocks));
  }
  if (!settings.usr_lib.empty()) add(kLibrary, settings.usr_lib_sha256);
  add_hparams(hparams, items);
  // One rank sums nothing, and the tree of --exact adds up the same over every communicator.
  if (settings.exact || summation.empty()) return items;
  add_settings(settings, in_use, Decides::bits_on_one_world, items);
  add(kSummationItem, summation, true);
  return items;
}

void fill_in_bits(TrainSettings& settings, const SavedConfig* saved, int ranks) {
  const bool same_world = saved != nullptr && saved->ranks == ranks && !settings.exact;
  for (const TrainSetting& setting : train_settings()) {
    if (setting.decides != Decides::bits_on_one_world || !is_left_open(setting, settings)) continue;
    const ConfigItem* const item = same_world ? find(saved->items, setting.name) : nullptr;
    if (item != nullptr && assign(setting, item->value, settings).empty()) continue;
    if (!value_text(setting, settings)) assign(setting, std::string(setting.if_unset), settings);
  }
}

std::vector<MeasuredSetting> use_measured(TrainSettings& settings, const SavedConfig* saved, int ranks) {
  std::vector<MeasuredSetting> used;
  if (saved == nullptr || saved->ranks != ranks) return used;
  for (const MeasuredSetting& measured : saved->measured) {
    const auto rows = train_settings();
    const auto setting = std::ranges::find(rows, measured.name, &TrainSetting::name);
    if (setting == rows.end() || !setting->measured || !is_left_open(*setting, settings)) continue;
    if (assign(*setting, measured.value, settings).empty()) used.push_back(measured);
  }
  return used;
}

std::string to_json(std::span<const ConfigItem> items, int ranks, const std::optional<SavedBatches>& batches,
                    std::span<const MeasuredSetting> measured, std::int64_t most_batches_of_step) {
  Json::Object any_world;
  Json::Object same_world;
  for (const ConfigItem& item : items)
    (item.same_world_only ? same_world : any_world).emplace_back(item.name, item.value);
  Json::Object json{{kConfigRanksKey, ranks},
                    {kConfigAnyRanksKey, std::move(any_world)},
                    {kConfigTheseRanksKey, std::move(same_world)}};
  if (batches) {
    json.emplace_back(kConfigBatchesKey, Json::Object{{kBatchesSizeKey, batches->global_batch},
                                                      {kBatchesStepKey, batches->since.step},
                                                      {kBatchesEpochKey, batches->since.epoch},
                                                      {kBatchesConsumedKey, batches->since.consumed}});
  }
  if (most_batches_of_step > 1) json.emplace_back(kConfigMostBatchesKey, most_batches_of_step);
  if (!measured.empty()) {
    Json::Object settings;
    for (const MeasuredSetting& setting : measured) settings.emplace_back(setting.name, setting.value);
    json.emplace_back(kConfigMeasuredKey, std::move(settings));
  }
  try {
    return Json(std::move(json)).text();
  } catch (const std::invalid_argument&) {
    throw Error(ExitCode::usage, "a hyperparameter's text is not UTF-8, and so cannot be saved in checkpoints",
                Scope::every_rank);
  }
}

namespace {

SavedBatches saved_batches(const Json& json) {
  const auto whole_number = [&](const char* key) {
    const Json* const found = json.find(key);
    const auto* const number = found == nullptr ? nullptr : found->as<std::int64_t>();
    if (number == nullptr || *number < 0) {
      throw JsonError(fmt::format("its '{}' have no number of '{}'", kConfigBatchesKey, key));
    }
    return *number;
  };
  return {.global_batch = whole_number(kBatchesSizeKey),
          .since = {.step = whole_number(kBatchesStepKey),
                    .epoch = whole_number(kBatchesEpochKey),
                    .consumed = whole_number(kBatchesConsumedKey)}};
}

std::int64_t saved_most_batches(const Json& json) {
  const auto* const most = json.as<std::int64_t>();
  if (most != nullptr && *most >= 1 && *most <= kMaxSumUpdates) return *most;
  throw JsonError(fmt::format("'{}' is no number from 1 to {}", kConfigMostBatchesKey, kMaxSumUpdates));
}

std::vector<MeasuredSetting> saved_measured(const Json& json) {
  const auto* const members = json.as<Json::Object>();
  if (members == nullptr) throw JsonError(fmt::format("'{}' is no object", kConfigMeasuredKey));
  std::vector<MeasuredSetting> measured;
  measured.reserve(members->size());
  for (const auto& [name, value] : *members) {
    const auto* const text = value.as<std::string>();
    if (text == nullptr) throw JsonError(fmt::format("{} is no text", in_quotes(name)));
    measured.push_back({name, *text});
  }
  return measured;
}

}  // namespace

SavedConfig saved_config(std::string_view json) {
  const Json saved = parse_json(json);
  SavedConfig result;
  const Json* const ranks = saved.find(kConfigRanksKey);
  const auto* const count = ranks == nullptr ? nullptr : ranks->as<std::int64_t>();
  if (count == nullptr || !std::in_range<int>(*count) || *count < 1)
    throw JsonError(fmt::format("it has no number of '{}'", kConfigRanksKey));
  result.ranks = static_cast<int>(*count);
  std::set<std::string_view> names;  // a set, as a file may have any number of them
  for (const std::string_view part : {kConfigAnyRanksKey, kConfigTheseRanksKey}) {
    const Json* const found = saved.find(part);
    const auto* const members = found == nullptr ? nullptr : found->as<Json::Object>();
    if (members == nullptr) throw JsonError(fmt::format("it has no object '{}'", part));
    for (const auto& [name, value] : *members) {
      const auto* const text = value.as<std::string>();
      if (text == nullptr) throw JsonError(fmt::format("{} is no text", in_quotes(name)));
      if (!names.insert(name).second) throw JsonError(fmt::format("{} stands in it twice", in_quotes(name)));
      result.items.push_back({name, *text, part == kConfigTheseRanksKey});
    }
  }
  if (const Json* const batches = saved.find(kConfigBatchesKey)) result.batches = saved_batches(*batches);
  if (const Json* const measured = saved.find(kConfigMeasuredKey)) result.measured = saved_measured(*measured);
  if (const Json* const most = saved.find(kConfigMostBatchesKey))
    result.most_batches_of_step = saved_most_batches(*most);
  return result;
}

std::string saved_strategy(const SavedConfig& saved) {
  const ConfigItem* const item = find(saved.items, "strategy");
  return item == nullptr ? TrainSettings{}.strategy : item->value;
}

std::vector<ConfigItem> default_items(const HParams& shared, const HParams& set) {
  std::vector<ConfigItem> items;
  std::vector<const TrainSetting*> all;
  for (const TrainSetting& setting : train_settings()) all.push_back(&setting);
  for (const Decides decides : {Decides::result, Decides::bits_on_one_world}) {
    add_settings(TrainSettings{}, all, decides, items);
  }
  add_hparams(shared, items);
  add_hparams(set, items);  // find() takes the first of a name
  return items;
}

bool has_changed(const SavedConfig& saved, std::span<const ConfigItem> now, std::span<const ConfigItem> defaults,
                 std::string_view name) {
  const ConfigItem* const item = find(now, name);
  if (item == nullptr) return false;
  const ConfigItem* const before = find(saved.items, name);
  if (before == nullptr) return name != kDevData && !is_default(*item, defaults);
  // Older versions wrote its beginning alone, the digest of a few samples.
  if (name == kData) return !before->value.starts_with(item->value) && !item->value.starts_with(before->value);
  return before->value != item->value;
}

std::vector<std::string> check_config(const SavedConfig& saved, std::span<const ConfigItem> now,
                                      std::span<const ConfigItem> defaults, int ranks,
                                      std::span<const std::string> allowed, const std::string& checkpoint,
                                      Weights weights) {
  if (const ConfigItem* const writer = find(saved.items, kWrittenByItem)) {
    throw Error(
        ExitCode::configuration,
        fmt::format("'{}' was written by {}, not by train, which cannot know what decides its results. Continue "
                    "with that program, or give another --output_dir",
                    checkpoint, escaped(writer->value)),
        Scope::every_rank);
  }
  check_allowed_names(saved, now, allowed);
  if (saved.items.empty()) {
    return {fmt::format("'{}' does not say what run it comes from: this run's settings are not compared", checkpoint)};
  }
  const std::vector<Change> all = changes(saved, now, defaults, ranks);
  std::vector<Change> refused;
  std::vector<std::string> taken;
  for (const Change& change : all) {
    if (change.name == kDevData) {
      taken.push_back(
          fmt::format("the dev split has other samples than when '{}' was written: evaluations before and "
                      "after it cannot be compared",
                      checkpoint));
    } else if (std::ranges::find(allowed, change.name) == allowed.end()) {
      refused.push_back(change);
    } else {
      taken.push_back(fmt::format("--allow_changes: {} was {} in '{}' and is {} from here on", change.name,
                                  value_text(change.before), checkpoint, value_text(change.now)));
    }
  }
  if (!refused.empty()) refuse(all, refused, checkpoint, weights);
  return taken;
}

}  // namespace lockstep
