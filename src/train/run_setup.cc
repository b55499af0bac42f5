#include "train/run_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/counted.h"
#include "base/durable_file.h"
#include "base/hparams_json.h"
#include "base/printable.h"
#include "checkpoint/format.h"
#include "checkpoint/shape_json.h"
#include "collective/gradient_reducer.h"
#include "collective/tree_plan.h"
#include "data/missed_first_plan.h"
#include "train/config/agreement.h"
#include "train/config/check_attributes.h"
#include "train/config/pace.h"
#include "train/config/run_config.h"
#include "train/evaluation/resume_best.h"
#include "train/exchange/connect_gradients.h"
#include "train/registry/hparams_sets.h"
#include "train/registry/setting_rules.h"
#include "train/workload/check_memory.h"

namespace lockstep {
namespace {

// Names the way in which the communicator sums, with ", in slices" if slices are summed in another way and this run has
// them; "" on one rank, which sums nothing.
std::string summation(const Communicator& gradients, const TrainSettings& settings, ValuesPlace values) {
  if (gradients.size() == 1) return "";
  const bool scatters = settings.shard_optimizer || values == ValuesPlace::one_for_all;
  const bool other_sums = scatters && !gradients.scatters_alike();
  return gradients.summation() + (other_sums ? ", in slices" : "");
}

CommunicatorArrays communicator_arrays(const Workload& workload, const TrainSettings& settings, ValuesPlace values) {
  const auto count = static_cast<std::size_t>(workload.model->table().padded_count());
  const std::size_t bytes = count * size_of(DType::float32);
  CommunicatorArrays arrays{.of_each_rank = {bytes}};  // gradients
  if (values == ValuesPlace::in_reach) arrays.of_each_rank.push_back(bytes);
  if (values == ValuesPlace::one_for_all) arrays.of_all = bytes;
  if (const DType wire = wire_dtype_of(settings); wire != DType::float32) {
    arrays.of_each_rank.push_back(count * size_of(wire));
  }
  if (const RunPlan& plan = workload.plan; plan.micro_shards) {
    const int partials = tree_partials(TreePlan(*plan.micro_shards, plan.owners));
    arrays.of_each_rank.insert(arrays.of_each_rank.end(), static_cast<std::size_t>(partials), bytes);
  }
  return arrays;
}

// The settings as checkpoints record them: the strategy by the name of the one that gives the same results, if any.
TrainSettings as_compared(const TrainSettings& settings, const StrategyKind& strategy) {
  TrainSettings compared = settings;
  if (!strategy.results_of.empty()) compared.strategy = strategy.results_of;
  return compared;
}

// Reports the changes that check_config() accepts; it throws for others. Returns whether the optimizer has changed.
// COLLECTIVE.
bool check_changes(const RunSetup& run, const Resumption& from, const Registry& registry, const TrainingRank& rank) {
  const TrainSettings& settings = run.settings;
  const auto defaults = default_items(default_hparams(registry), hparams_set(registry, hparams_set_name(settings)));
  const int ranks = rank.compute.size();
  const Weights weights = weights_of(from, rank.world, run.workload.model->table());
  const auto is_of_one_strategy = [&, before = saved_strategy(from.config),
                                   now = as_compared(settings, run.strategy).strategy](const ConfigItem& item) {
    return !both_have(item.name, before, now, registry);
  };
  SavedConfig saved = from.config;
  std::vector<ConfigItem> now = run.config;
  std::erase_if(saved.items, is_of_one_strategy);
  std::erase_if(now, is_of_one_strategy);
  for (const std::string& line :
       check_config(saved, now, defaults, ranks, settings.allow_changes, from.file, weights)) {
    if (rank.is_chief()) rank.log.warning("{}", line);  // every rank finds the same
  }
  return has_changed(from.config, run.config, defaults, "optimizer");
}

// The hparams with the planned number of steps, which flags and data may decide.
HParams with_steps(HParams hparams, const RunPlan& plan) {
  hparams.set("train_steps", plan.train_steps);
  return hparams;
}

// The chief's eval_interval(), on all ranks: only the chief has the folder. COLLECTIVE.
std::int64_t agreed_eval_interval(const TrainSettings& asked, const RunPlan& plan, const OutputFolder& output,
                                  bool resumes, const TrainingRank& rank) {
  std::optional<std::int64_t> former;
  if (output.checkpoints && resumes) {
    const std::optional<Json> config = read_run_config(output.path);
    const Json* const kept = config ? config->find("local_eval_frequency") : nullptr;
    const auto* const steps = kept != nullptr ? kept->as<std::int64_t>() : nullptr;
    if (steps != nullptr && *steps >= 0) former = *steps;
  }
  std::int64_t interval = eval_interval(asked, plan.train_steps, former);
  broadcast_value(rank.world, interval, 0);
  return interval;
}

// Refuses, before the first step, a tokenizer that no checkpoint could be read with again.
void check_tokenizer(const TrainSettings& settings, const Tokenizer* tokenizer, const Table<TokenizerKind>& kinds) {
  if (tokenizer == nullptr || kinds.has(tokenizer->kind().name)) return;
  throw Error(ExitCode::configuration,
              fmt::format("the tokenizer of problem {} is of the kind {}, which is not registered, so that no text "
                          "could be read with a checkpoint of this run; register it with registry.tokenizers.add()",
                          escaped(settings.problem), in_quotes(tokenizer->kind().name)),
              Scope::every_rank);
}

// The meaning of a text's symbols, as JSON; "" if they stand for no text.
std::string vocabulary_of(const Workload& workload) {
  const TokenizerPointer tokenizer = workload.problem->tokenizer();
  if (tokenizer == nullptr || workload.shape.vocabulary_digest.empty()) return "";
  const ProblemShape& shape = workload.shape;
  LS_CHECK(tokenizer->digest() == shape.vocabulary_digest, "the digest of another tokenizer");
  LS_CHECK(tokenizer->size() == shape.vocabulary && tokenizer->size() == shape.outputs, "a tokenizer of another size");
  std::string json = tokenizer->to_json().text();
  if (std::ssize(json) <= kMostVocabularyBytes) return json;
  throw Error(ExitCode::configuration,
              fmt::format("the vocabulary has {} bytes, and that of a checkpoint at most {}; give a smaller hparam "
                          "vocab_size",
                          json.size(), kMostVocabularyBytes),
              Scope::every_rank);
}

}  // namespace

Allocator& RunSetup::values_memory(Backend& backend) const {
  switch (values_place(strategy, settings)) {
    case ValuesPlace::own:
      return backend.allocator();
    case ValuesPlace::in_reach:
      return gradients->allocator();
    case ValuesPlace::one_for_all:
      return *gradients->common_memory();
  }
  throw Error(ExitCode::internal, "values that lie nowhere");
}

CheckpointHeader RunSetup::header(int ranks) const {
  const BatchCursor& cursor = workload.plan.batches->from();
  return {.step = cursor.step,
          .seed = settings.seed,
          .model = settings.model,
          .problem = settings.problem,
          .shape = shape_to_json(workload.shape),
          .vocabulary = vocabulary_of(workload),
          .hparams = hparams_json(),
          .config = to_json(config, ranks, batches(), measured, most_batches_of_step()),
          .cursor = cursor};
}

// Returns nothing for batches of tokens, which the cursor describes, and for sums of gradients, whose batches are not
// counted by steps.
std::optional<SavedBatches> RunSetup::batches() const {
  const BatchPlan& now = *workload.plan.batches;
  if (now.counts_tokens() || workload.plan.sum_updates > 1) return {};
  if (from && from->config.batches && from->config.batches->global_batch == now.global_batch() &&
      !has_changed(from->config, config, {}, kSamplesItem)) {
    return from->config.batches;
  }
  return SavedBatches{.global_batch = now.global_batch(), .since = after_missed(now.from())};
}

std::int64_t RunSetup::most_batches_of_step() const {
  return std::max(workload.plan.sum_updates, from ? from->config.most_batches_of_step : 1);
}

std::string RunSetup::hparams_json() const { return hparams_to_json(with_steps(hparams, workload.plan)); }

RunSetup set_up_run(const TrainSettings& asked, const HParams& hparams, const Registry& registry,
                    const TrainingRank& rank) {
  LS_CHECK(rank.is_chief() == (rank.compute.rank() == 0), "the chief is rank 0 of both groups");
  // This precedes every collective that some ranks would skip if their flags differed.
  check_agreement(rank.world, job_items(asked, hparams));
  OutputFolder output = open_output_folder(asked, rank);
  std::optional<Resumption> from = find_resumption(asked, rank, output);
  std::optional<WarmStart> warm = open_warm_start(asked, rank, from.has_value());
  TrainSettings settings = asked;
  const SavedConfig* const saved = from ? &from->config : nullptr;
  std::vector<MeasuredSetting> measured;
  const OpenExchange open = open_exchange(settings, registry, rank, saved, measured);
  if (from && asked.fusion_mb && asked.fusion_mb->tune && !open.fusion_mb) {
    rank.log.info("fusion_mb: {} MB, as in '{}'; another number of ranks, or a new --output_dir, measures again",
                  settings.fusion_mb.value_or(0.0).value, escaped(from->file));
  }
  const StrategyKind& strategy = registry.strategies.find(settings.strategy);
  const ValuesPlace values = values_place(strategy, settings);
  auto gradients = connect_gradients(settings, registry, rank, saved, from ? from->file : "");
  Workload workload = make_workload(settings, hparams, registry, rank, from ? from->header.cursor : BatchCursor{},
                                    summation(*gradients, settings, values));
  check_tokenizer(settings, workload.problem->tokenizer().get(), registry.tokenizers);
  const MemoryRequest memory{
      .settings = settings,
      .hparams = hparams,
      .strategy = strategy,
      .workload = workload,
      .slots = std::ssize(registry.optimizers.find(hparams.text("optimizer")).make(hparams)->slots()),
      .ranks = rank.compute.size(),
      .saves = output.checkpoints != nullptr,
      .products = product_dtype(settings, rank.backend),
      .on_host = rank.backend.device().kind == Device::Kind::cpu};
  check_memory(memory, rank);
  std::string need = memory_need(memory);
  with_need_named(
      need, [&] { make_room(gradients, communicator_arrays(workload, settings, values), settings, registry, rank); });
  const std::string sums = summation(*gradients, settings, values);
  if (from) accept_other_hosts(from->config, from->file, sums, settings, registry, rank);
  if (warm) {
    match_warm_start(*warm, settings, workload.model->table(), workload.shape, workload.problem->tokenizer().get(),
                     registry.tokenizers);
  }
  Schedule schedule = make_schedule(hparams, workload.plan);
  const auto in_use = settings_in_use(settings, registry);
  auto config = config_items(as_compared(settings, strategy), in_use, hparams, workload.plan, workload.data, sums);
  const StartNote start{.ranks = rank.compute.size(), .global_batch = workload.plan.batches->global_batch()};
  const std::int64_t eval_every = agreed_eval_interval(asked, workload.plan, output, from.has_value(), rank);
  TrainSettings kept = asked;
  kept.eval_frequency = eval_every;  // the next start keeps it, even if it asks for more steps
  std::string settings_json =
      output.checkpoints ? config_json(kept, in_use, with_steps(hparams, workload.plan), start) : "";
  RunSetup run{.settings = std::move(settings),
               .hparams = hparams,
               .gradients = std::move(gradients),
               .strategy = strategy,
               .config_json = std::move(settings_json),
               .output = std::move(output),
               .from = std::move(from),
               .warm = std::move(warm),
               .workload = std::move(workload),
               .schedule = std::move(schedule),
               .eval_every = eval_every,
               .config = std::move(config),
               .open = open,
               .measured = std::move(measured),
               .memory_need = std::move(need)};
  if (run.from) {
    // The shape is checked first: if it differs, other differences say less.
    check_shape(*run.from, run.settings, run.workload.shape, run.workload.problem->tokenizer().get(),
                registry.tokenizers);
    run.new_optimizer = check_changes(run, *run.from, registry, rank);
    check_attributes({.file = run.from->file, .header = run.from->header, .config = run.from->config}, hparams,
                     run.workload.data.samples);
  } else {
    check_allowed_names({}, run.config, run.settings.allow_changes);
  }
  run.best_rules = best_rules(run.settings, *run.workload.problem, run.workload.evaluated);
  run.past = find_past_choice(run.best_rules, run.output, rank, run.steps_made());
  return run;
}

void restore_or_initialize(RunSetup& run, const TrainingRank& rank, Strategy& strategy, const TrainingState& state) {
  if (run.from) {
    const auto phase = rank.trace.enter(Phase::read);
    const std::string remark = restore(*run.from, state, run.new_optimizer);
    if (!remark.empty()) rank.log.info("{}", remark);
    return;
  }
  if (rank.is_chief()) {
    initialize(rank.backend, state.replica.parameters(), run.workload.model->initializers(), run.settings.seed);
    if (run.warm) {
      const auto phase = rank.trace.enter(Phase::read);
      take_parameters(*run.warm, rank.backend, state.replica.parameters(), rank.log);
    }
  }
  strategy.start();
  if (state.average != nullptr) state.average->start();
}

OpenedMetrics open_run_files(const RunSetup& run, const TrainingRank& rank) {
  const auto phase = rank.trace.enter(Phase::write);
  if (run.output.checkpoints) {
    // Reading the data may have taken long: the lease must still be ours.
    const auto check_lease = run.output.lease_check();
    check_lease();
    if (run.from) {
      for (const std::string& file :
           run.output.checkpoints->resume_at(run.steps_made(), run.nothing_left(), check_lease)) {
        rank.log.warning("{} is newer than what this run resumes from: it is now {}{}", file, file, kSetAsideSuffix);
      }
    }
    if (run.from && !run.nothing_left()) {  // older ones may go: the newest was found whole when this run opened it
      const std::int64_t removed = run.output.checkpoints->remove_beyond(check_lease);
      if (removed > 0) rank.log.info("removed {}, to make room", counted(removed, "older checkpoint"));
    }
    resume_best(run.best_rules, run.past, run.output, run.steps_made());
    replace_file((std::filesystem::path(run.output.path) / kConfigFile).string(),
                 std::as_bytes(std::span(run.config_json)), check_lease);
  }
  return open_metrics(run.output, rank, run.from ? std::optional(run.steps_made()) : std::nullopt, run.nothing_left());
}

}  // namespace lockstep
