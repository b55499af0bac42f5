#include "train/checkpoints.h"

#include <optional>
#include <utility>

#include "train/config/agreement.h"
#include "train/config/result_config.h"
#include "train/resume.h"
#include "train/state/saver.h"

namespace lockstep {
namespace {

TrainSettings settings_of(const Checkpoints::Options& options) {
  TrainSettings settings;
  settings.output_dir = options.folder;
  settings.model = options.model;
  settings.problem = options.problem;
  settings.seed = options.seed;
  settings.keep_checkpoints = options.keep;
  return settings;
}

// The loop's own code decides the result, and no item can name that. The single item here keeps `train`, which would
// have to compare it, from resuming from such a file.
CheckpointHeader header_of(const TrainSettings& settings, int ranks) {
  const std::vector<ConfigItem> written_by{{std::string(kWrittenByItem), "a training loop of its own"}};
  return {.seed = settings.seed,
          .model = settings.model,
          .problem = settings.problem,
          .hparams = "{}",
          .config = to_json(written_by, ranks)};
}

OutputFolder take_folder(const TrainSettings& settings, const TrainingRank& rank) {
  if (settings.output_dir.empty()) {
    throw Error(ExitCode::usage, "the folder for checkpoints has no name; give one", Scope::every_rank);
  }
  check_agreement(rank.world,
                  std::vector<AgreedItem>{{"version", LOCKSTEP_VERSION}, {"checkpoint folder", settings.output_dir}});
  return open_output_folder(settings, rank);
}

}  // namespace

struct Checkpoints::Parts {
  Parts(const TrainingRank& of, Replica& replica, const Strategy& how, const Options& options)
      : rank(of),
        strategy(how),
        settings(settings_of(options)),
        state{.compute = rank.compute, .model = settings.model, .replica = replica, .strategy = how},
        output(take_folder(settings, rank)),
        saver({.rank = rank, .state = state, .folder = output.checkpoints.get(), .lease = output.lease},
              header_of(settings, rank.compute.size())) {}

  // Logs the finished saves. A write that the disk refused, or the loss of the folder to another job, throws here and
  // ends the loop.
  void report_saved() {
    for (const Saver::Saved& saved : saver.check()) {
      rank.log.info("saved {} in {:.2f} s", output.checkpoints->path_of(saved.written.step), saved.written.seconds);
    }
  }

  const TrainingRank& rank;
  const Strategy& strategy;
  const TrainSettings settings;
  TrainingState state;
  OutputFolder output;
  Saver saver;
};

Checkpoints::Checkpoints(const TrainingRank& rank, Replica& replica, const Strategy& strategy, const Options& options)
    : parts_(std::make_unique<Parts>(rank, replica, strategy, options)) {}

Checkpoints::~Checkpoints() = default;

BatchCursor Checkpoints::restore() {
  const auto& [rank, strategy, settings, state, output, saver] = *parts_;
  std::optional<Resumption> from = find_resumption(settings, rank, output);
  if (!from) return {};
  const auto phase = rank.trace.enter(Phase::read);
  const std::string remark = lockstep::restore(*from, state, /*new_optimizer=*/false);
  rank.log.info("resumed from {}: step {}", from->file, from->header.step);
  if (!remark.empty()) rank.log.info("{}", remark);
  if (output.checkpoints) {
    output.checkpoints->resume_at(from->header.step, false, output.lease_check());
  }
  return from->header.cursor;
}

void Checkpoints::save(const BatchCursor& cursor) {
  LS_CHECK(parts_->strategy.replicas_equal(),
           "a save while the replicas differ; save after a meeting of the strategy only");
  parts_->saver.save(cursor);
  parts_->report_saved();
}

void Checkpoints::close() {
  parts_->saver.finish(/*finished=*/false);
  parts_->report_saved();
  if (parts_->output.lease) parts_->output.lease->release();
}

}  // namespace lockstep
