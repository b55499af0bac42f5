#include "train/registry/hparams_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "data/augmentation.h"
#include "train/config/plan_batches.h"
#include "train/registry/hparam_help.h"

namespace lockstep {
namespace {

using Names = std::set<std::string, std::less<>>;

// Adds the hparams of a table's entries, except those of the chosen entry.
template <class Entry>
void add_of_others(const Table<Entry>& table, std::string_view chosen, Names& names) {
  for (const auto& [name, named] : table.entries()) {
    for (const auto& [hparam, value] : named.entry.hparams.values()) names.insert(hparam);
  }
  for (const auto& [hparam, value] : table.find(chosen).hparams.values()) names.erase(hparam);
}

void add_all(const HParams& hparams, Names& names) {
  for (const auto& [name, value] : hparams.values()) names.insert(name);
}

// The hparams that only other optimizers, strategies and kinds of data use.
Names unused_names(const TrainSettings& settings, const HParams& hparams, const Registry& registry) {
  Names names;
  add_of_others(registry.optimizers, hparams.text("optimizer"), names);
  add_of_others(registry.strategies, settings.strategy, names);
  // A set with a limit on the length of sequences is for a model of sequences.
  if (registry.hparams_sets.find(hparams_set_name(settings))().has("max_length")) {
    add_all(augmentation_hparams(), names);
    names.insert({"normalize_inputs", "num_classes"});
  } else {
    add_all(sequence_batch_hparams(), names);
    names.insert({"text_unit", "vocab_size"});
  }
  return names;
}

struct HParamLine {
  std::string name;
  std::string value;
};

std::string text_of(std::span<const HParamLine> lines) {
  std::size_t names = 0;
  std::size_t values = 0;
  for (const HParamLine& line : lines) {
    names = std::max(names, line.name.size());
    values = std::max(values, line.value.size());
  }
  std::string text;
  for (const HParamLine& line : lines) {
    text += fmt::format("  {:<{}}  {:<{}}  {}", line.name, names, line.value, values, hparam_help(line.name));
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string hparams_table(const TrainSettings& settings, const HParams& hparams, const Registry& registry) {
  const Names unused = unused_names(settings, hparams, registry);
  std::vector<HParamLine> used_lines;
  std::vector<HParamLine> other_lines;
  for (const auto& [name, value] : hparams.values()) {
    std::string text = std::visit([](const auto& typed) { return fmt::format("{}", typed); }, value);
    (unused.contains(name) ? other_lines : used_lines).push_back({name, std::move(text)});
  }
  return fmt::format("Hyperparameters of model {}, set {}; --hparams=NAME=VALUE,NAME=VALUE changes them:\n{}{}{}",
                     settings.model, hparams_set_name(settings), text_of(used_lines),
                     other_lines.empty() ? "" : "\nNot used by this run:\n", text_of(other_lines));
}

}  // namespace lockstep
