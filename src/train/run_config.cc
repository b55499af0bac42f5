#include "train/run_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/hparams_json.h"
#include "base/json.h"
#include "base/nearest.h"

namespace lockstep {
namespace {

// Every name that an item may have beside those of hparams.
constexpr std::array<std::string_view, 14> kNames = {
    "problem",   "training_samples", "training_blocks", "model",        "random_seed", "global_batch_size",
    "strategy",  "sync_every",       "exact",           "micro_shards", "ema",         "usr_lib",
    "fusion_mb", "summation"};

std::string hparam_item(const std::string& name) {
  return std::ranges::find(kNames, name) == kNames.end() ? name : "hparam_" + name;
}

void add_hparams(const HParams& hparams, std::vector<ConfigItem>& items) {
  for (const auto& [name, value] : hparams.values()) {
    if (name == "train_steps") continue;  // more steps of the same run
    std::string text = std::visit([](const auto& typed) { return fmt::format("{}", typed); }, value);
    items.push_back({hparam_item(name), std::move(text)});
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

std::vector<Change> changes(const SavedConfig& saved, std::span<const ConfigItem> now, int ranks) {
  const auto counts = [&](const ConfigItem& item) { return !item.same_world_only || saved.ranks == ranks; };
  std::vector<Change> result;
  for (const ConfigItem& item : now) {
    const ConfigItem* const before = find(saved.items, item.name);
    if (counts(item) && (before == nullptr || before->value != item.value)) {
      result.push_back({item.name, before, &item});
    }
  }
  for (const ConfigItem& item : saved.items) {
    if (counts(item) && find(now, item.name) == nullptr) result.push_back({item.name, &item, nullptr});
  }
  return result;
}

std::string value_text(const ConfigItem* item) {
  if (item == nullptr) return "not set";
  constexpr std::size_t kShownDigits = 16;
  if (item->name == "usr_lib") return fmt::format("a library of SHA-256 {}...", item->value.substr(0, kShownDigits));
  return fmt::format("'{}'", item->value);
}

void check_names(const SavedConfig& saved, std::span<const ConfigItem> now, std::span<const std::string> allowed) {
  std::vector<std::string> names(kNames.begin(), kNames.end());
  for (const auto& items : {std::span<const ConfigItem>(saved.items), now}) {
    for (const ConfigItem& item : items) names.push_back(item.name);
  }
  for (const std::string& name : allowed) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw Error(ExitCode::usage,
                fmt::format("--allow_changes={}: nothing of a run has the name '{}'{}; it takes names of hparams and "
                            "{}",
                            fmt::join(allowed, ","), name, did_you_mean(name, names), fmt::join(kNames, ", ")),
                Scope::every_rank);
  }
}

[[noreturn]] void refuse(std::span<const Change> all, std::span<const Change> refused, const std::string& checkpoint) {
  std::string lines;
  for (const Change& change : refused) {
    lines += fmt::format("\n    {}: {} there, {} here", change.name, value_text(change.before), value_text(change.now));
  }
  std::vector<std::string> names;
  for (const Change& change : all) names.push_back(change.name);
  throw Error(ExitCode::configuration,
              fmt::format("'{}' was written by a run that differs from this one in what changes the result:{}\n"
                          "  To go on with that run, give its values again; to start another one, give another "
                          "--output_dir; to go on from there with the new values, add --allow_changes={}",
                          checkpoint, lines, fmt::join(names, ",")),
              Scope::every_rank);
}

}  // namespace

std::vector<ConfigItem> config_items(const TrainSettings& settings, const HParams& hparams, const RunPlan& plan,
                                     const TrainingData& data, const std::string& summation) {
  std::vector<ConfigItem> items{{"problem", settings.problem}, {"training_samples", std::to_string(data.samples)}};
  if (!data.digest.empty()) items.push_back({"training_data", data.digest});
  if (const ShardPlan::Options& shards = plan.shards.options(); shards.block > 0) {
    items.push_back({"training_blocks", fmt::format("{} in windows of {}", shards.block, shards.window_blocks)});
  }
  items.push_back({"model", settings.model});
  items.push_back({"random_seed", std::to_string(settings.seed)});
  items.push_back({"global_batch_size",
                   settings.global_batch_size ? std::to_string(*settings.global_batch_size) : "batch_size per rank"});
  items.push_back({"strategy", settings.strategy});
  const bool averages = settings.strategy == "model_averaging";
  if (averages) items.push_back({"sync_every", std::to_string(settings.sync_every)});
  if (settings.micro_shards) {
    items.push_back({"exact", "true"});
    items.push_back({"micro_shards", std::to_string(*settings.micro_shards)});
  }
  if (settings.ema) items.push_back({"ema", fmt::format("{}", *settings.ema)});
  if (!settings.usr_lib.empty()) items.push_back({"usr_lib", settings.usr_lib_sha256});
  add_hparams(hparams, items);
  // One rank sums nothing, and the tree of --exact adds up the same whoever carries the parts.
  if (settings.micro_shards || summation.empty()) return items;
  if (!averages) items.push_back({"fusion_mb", fmt::format("{}", settings.fusion_mb.value_or(kFusionMb)), true});
  items.push_back({"summation", summation, true});
  return items;
}

std::string to_json(std::span<const ConfigItem> items, int ranks) {
  Json::Object any_world;
  Json::Object same_world;
  for (const ConfigItem& item : items)
    (item.same_world_only ? same_world : any_world).emplace_back(item.name, item.value);
  const Json json =
      Json::Object{{"ranks", ranks}, {"on_any_ranks", std::move(any_world)}, {"on_these_ranks", std::move(same_world)}};
  try {
    return json.text();
  } catch (const std::invalid_argument&) {
    throw Error(ExitCode::usage, "a hyperparameter's text is not UTF-8, and so cannot be saved in checkpoints",
                Scope::every_rank);
  }
}

SavedConfig saved_config(std::string_view json) {
  const Json saved = parse_json(json);
  SavedConfig result;
  const Json* const ranks = saved.find("ranks");
  const auto* const count = ranks == nullptr ? nullptr : ranks->as<std::int64_t>();
  if (count == nullptr || !std::in_range<int>(*count) || *count < 1) throw JsonError("it has no number of 'ranks'");
  result.ranks = static_cast<int>(*count);
  for (const char* part : {"on_any_ranks", "on_these_ranks"}) {
    const Json* const found = saved.find(part);
    const auto* const members = found == nullptr ? nullptr : found->as<Json::Object>();
    if (members == nullptr) throw JsonError(fmt::format("it has no object '{}'", part));
    for (const auto& [name, value] : *members) {
      const auto* const text = value.as<std::string>();
      if (text == nullptr) throw JsonError(fmt::format("'{}' is no text", name));
      if (find(result.items, name) != nullptr) throw JsonError(fmt::format("'{}' stands in it twice", name));
      result.items.push_back({name, *text, std::string_view(part) == "on_these_ranks"});
    }
  }
  return result;
}

std::vector<std::string> check_config(const SavedConfig& saved, std::span<const ConfigItem> now, int ranks,
                                      std::span<const std::string> allowed, const std::string& checkpoint) {
  check_names(saved, now, allowed);
  const std::vector<Change> all = changes(saved, now, ranks);
  std::vector<Change> refused;
  std::vector<std::string> taken;
  for (const Change& change : all) {
    if (std::ranges::find(allowed, change.name) == allowed.end()) {
      refused.push_back(change);
    } else {
      taken.push_back(fmt::format("--allow_changes: {} was {} in '{}' and is {} from here on", change.name,
                                  value_text(change.before), checkpoint, value_text(change.now)));
    }
  }
  if (!refused.empty()) refuse(all, refused, checkpoint);
  return taken;
}

}  // namespace lockstep
