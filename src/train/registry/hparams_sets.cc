#include "train/registry/hparams_sets.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/hparams_json.h"
#include "base/printable.h"
#include "data/augmentation.h"
#include "model/loss.h"
#include "optim/schedule.h"
#include "train/config/plan_batches.h"
#include "train/registry/check_problem_name.h"
#include "train/registry/foreign_hparams.h"

namespace lockstep {
namespace {

// Uses tensor2tensor's names if it has them.
HParams training_hparams() {
  return HParams()
      // Samples, or tokens of sequences, per rank, unless --global_batch_size says otherwise.
      .set("batch_size", std::int64_t{128})
      .set("train_steps", std::int64_t{1000})
      .set("optimizer", std::string("adam"))
      .set("optimizer_multistep_accumulate_steps", std::int64_t{1})  // batches accumulated for an update
      .set("clip_grad_norm", 0.0)                                    // 0: no clipping
      .set("num_classes", std::int64_t{0})                           // for problem arrays; 0: from its labels
      .set("normalize_inputs", false)                                // to mean 0 and stddev 1 of the training split
      .set("text_unit", std::string("character"))                    // for problem languagemodel_text
      .set("vocab_size", std::int64_t{0});                           // for sequences, and for words; 0: from the data
}

// Two parts may share a hyperparameter, as adam and adamw do, if they agree on its default.
void add_hparams(const std::string& kind, const std::string& name, const HParams& added, HParams& hparams) {
  for (const auto& [hparam, value] : added.values()) {
    const auto there = hparams.values().find(hparam);
    if (there != hparams.values().end() && there->second != value) {
      throw Error(
          ExitCode::configuration,
          fmt::format("{0} '{1}' gives hparam {2} a default that differs from another's; rename it, for example "
                      "to {0}_{1}_{2}",
                      kind, name, hparam),
          Scope::every_rank);
    }
    hparams.set(hparam, value);
  }
}

void override_with_given(const TrainSettings& settings, HParams& hparams) {
  hparams.override_with(settings.config_hparams, "--config");
  check_foreign_names(settings.hparams, hparams);
  hparams.parse(settings.hparams, HParams::Words::own);
}

// Throws Error(usage) if there is no such model. If the name is that of a set, the message gives the model that the set
// is for.
void check_model_name(const std::string& name, const Registry& registry) {
  const std::string of =
      registry.models.has(name) || !registry.hparams_sets.has(name) ? "" : model_of_set(registry, name);
  if (of.empty()) {
    registry.models.find(name);
    return;
  }
  throw Error(ExitCode::usage,
              fmt::format("no model {0}: it is a set of hparams of model {1}: --model={1} --hparams_set={2}",
                          in_quotes(name), of, name),
              Scope::every_rank);
}

}  // namespace

HParams default_hparams(const Registry& registry) {
  HParams hparams = training_hparams();
  hparams.set(loss_hparams()).set(augmentation_hparams()).set(sequence_batch_hparams()).set(schedule_hparams());
  for (const auto& [name, optimizer] : registry.optimizers.entries()) {
    add_hparams(registry.optimizers.kind(), name, optimizer.entry.hparams, hparams);
  }
  for (const auto& [name, strategy] : registry.strategies.entries()) {
    add_hparams(registry.strategies.kind(), name, strategy.entry.hparams, hparams);
  }
  return hparams;
}

HParams hparams_set(const Registry& registry, std::string_view name) {
  const HParams changes = registry.hparams_sets.find(name)();
  return default_hparams(registry).set(changes);
}

std::string model_of_set(const Registry& registry, std::string_view set) {
  std::string model;
  std::size_t longest = 0;
  const auto match = [&](const std::string& own, std::string_view called) {
    if (!set.starts_with(called) || called.size() <= longest) return;
    model = own;
    longest = called.size();
  };
  for (const auto& [name, named] : registry.models.entries()) {
    match(name, name);
    for (const std::string& elsewhere : named.elsewhere) match(name, elsewhere);
  }
  return model;
}

HParams resolve_hparams(const TrainSettings& settings, const Registry& registry) {
  check_problem_name(settings.problem, registry.problems);
  check_model_name(settings.model, registry);
  registry.communicators.find(settings.collective);
  HParams hparams = hparams_set(registry, hparams_set_name(settings));
  override_with_given(settings, hparams);
  return hparams;
}

HParams saved_hparams(const TrainSettings& settings, std::string_view json, const Registry& registry) {
  if (!settings.hparams_set.empty()) return resolve_hparams(settings, registry);
  const HParams saved = hparams_from_json(json, "the checkpoint").hparams;
  // Types are those of the set if it is known; a newer version has names that the checkpoint lacks.
  HParams hparams = saved;
  hparams.set(registry.hparams_sets.has(settings.model) ? hparams_set(registry, settings.model)
                                                        : default_hparams(registry));
  hparams.override_with(saved, "the checkpoint");
  override_with_given(settings, hparams);
  return hparams;
}

}  // namespace lockstep
