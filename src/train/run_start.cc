#include "train/run_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/durable_file.h"
#include "base/hparams_json.h"
#include "collective/make_communicator.h"
#include "train/data_digest.h"
#include "train/job_agreement.h"

namespace lockstep {
namespace {

// What decides the bits of a sum beside our own settings.
std::string summation(const Communicator& world) {
  if (world.size() == 1) return "";
  if (std::string_view(world.name()) != "mpi") return world.name();
  const std::string features = communicator_features();  // "Open MPI 4.1.4, no nccl"
  return fmt::format("mpi, {}", features.substr(0, features.find(',')));
}

// What is generated is a function of problem and seed, and need not have the same bits on another kind of processor. A
// run that saves nothing reads no sample for it.
TrainingData describe_data(const TrainSettings& settings, const Problem& problem) {
  const bool compared = !settings.data_dir.empty() && !settings.output_dir.empty();
  return {.samples = problem.count(Split::train), .digest = compared ? data_digest(problem) : ""};
}

// Says what was taken knowingly, and refuses what was not.
void check_changes(const RunStart& run, const Resumption& from, const TrainingRank& rank) {
  const std::vector<std::string>& allowed = run.settings.allow_changes;
  for (const std::string& line : check_config(from.config, run.config, rank.world.size(), allowed, from.file)) {
    rank.log.warning("{}", line);
  }
}

bool changed(const Resumption& from, std::span<const ConfigItem> config, std::string_view name) {
  const auto named = [name](const ConfigItem& item) { return item.name == name; };
  const auto saved = std::ranges::find_if(from.config.items, named);
  const auto now = std::ranges::find_if(config, named);
  if (saved == from.config.items.end() || now == config.end()) return false;
  return saved->value != now->value;
}

}  // namespace

CheckpointHeader RunStart::header(int ranks) const {
  const ShardPlan::Cursor& cursor = task.plan.shards.options().from;
  return {.step = cursor.step,
          .cursor = cursor,
          .seed = settings.seed,
          .model = settings.model,
          .problem = settings.problem,
          .hparams = hparams_to_json(hparams),
          .config = to_json(config, ranks)};
}

RunStart start_run(const TrainSettings& asked, const HParams& hparams, const Registry& registry,
                   const TrainingRank& rank) {
  // Before the first collective that not all ranks would join.
  check_agreement(rank.world, std::vector<AgreedItem>{{"version", LOCKSTEP_VERSION},
                                                      {"--output_dir", asked.output_dir},
                                                      {"--resume", asked.resume_previous ? "previous" : "newest"}});
  OutputFolder output = open_output_folder(asked, rank);
  std::optional<Resumption> from = find_resumption(asked, rank, output);
  TrainSettings settings = asked;
  settings.fusion_mb = resolved_fusion_mb(asked, from, rank.world.size());
  Task task = make_task(settings, hparams, registry, rank, from ? from->header.cursor : ShardPlan::Cursor{});
  Schedule schedule = make_schedule(hparams, task.plan);
  auto config =
      config_items(settings, hparams, task.plan, describe_data(settings, *task.problem), summation(rank.world));
  RunStart run{.settings = std::move(settings),
               .hparams = hparams,
               .output = std::move(output),
               .from = std::move(from),
               .task = std::move(task),
               .schedule = std::move(schedule),
               .config = std::move(config)};
  if (run.from) check_changes(run, *run.from, rank);
  return run;
}

void begin_state(RunStart& run, const TrainingRank& rank, Strategy& strategy, const TrainingState& state) {
  if (run.from) {
    const auto phase = rank.trace.enter(Phase::read);
    const std::string remark = restore(*run.from, state, changed(*run.from, run.config, "optimizer"));
    if (!remark.empty()) rank.log.info("{}", remark);
    return;
  }
  if (rank.world.rank() == 0) {
    initialize(rank.backend, state.replica.parameters(), run.task.model->initializers(), run.settings.seed);
  }
  strategy.start();
  if (state.average != nullptr) state.average->start();
}

OpenedMetrics begin_files(const RunStart& run, const TrainingRank& rank) {
  const auto phase = rank.trace.enter(Phase::write);
  if (run.output.checkpoints) {
    // The data may have taken long to read: the lease has to be ours still.
    const auto check_lease = [lease = run.output.lease] { lease->check(); };
    check_lease();
    if (run.from) {
      for (const std::string& file :
           run.output.checkpoints->resume_at(run.steps_made(), run.nothing_left(), check_lease)) {
        rank.log.warning("{} is newer than what this run goes on from: it is now {}.set_aside", file, file);
      }
    }
    const std::string config = config_json(run.settings, run.hparams);
    replace_file((std::filesystem::path(run.output.path) / "config.json").string(), std::as_bytes(std::span(config)),
                 check_lease);
  }
  return open_metrics(run.output, rank, run.from ? std::optional(run.steps_made()) : std::nullopt, run.nothing_left());
}

}  // namespace lockstep
