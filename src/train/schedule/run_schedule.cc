#include "train/schedule/run_schedule.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collective/peer_ended.h"
#include "lease/file.h"
#include "lease/process.h"
#include "lease/rules.h"
#include "tensor/device_error.h"
#include "train/config/agreement.h"
#include "train/config/schedules.h"
#include "train/registry/hparams_sets.h"
#include "train/run.h"
#include "train/schedule/device_failure.h"
#include "train/schedule/evaluate/evaluate.h"
#include "train/schedule/evaluate/follow.h"
#include "train/schedule/predict/predict.h"
#include "train/schedule/restart.h"
#include "train/served/served_run.h"

namespace lockstep {
namespace {

ScheduleEnd run_train(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                      const TrainingRank& rank) {
  if (rank.served != nullptr) {
    const ServedEnd end = run_served(settings, hparams, registry, rank);
    return {.code = end.code, .stopped = end.stopped, .lost_ranks = end.lost_ranks};
  }
  const TrainOutcome outcome = run_training(settings, hparams, registry, rank);
  return {.code = exit_code_of(outcome), .stopped = outcome.stopped};
}

constexpr std::string_view kScratchName = "schedule_test.";

// Removes the folders of tests that were killed on this host.
void remove_abandoned(const std::filesystem::path& outer) {
  const LeaseRules rules(this_process(""));
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(outer, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (!entry->path().filename().string().starts_with(kScratchName)) continue;
    try {
      const std::optional<std::string> lease = LeaseFile(entry->path().string(), {}).text();
      const LeaseRecord holder = holder_of(lease.value_or(""));
      std::error_code ignored;
      if (rules.same_place(holder) && process_is_gone(holder)) std::filesystem::remove_all(entry->path(), ignored);
    } catch (const Error&) {  // it cannot be read: it is not ours, or of no concern to us
    }
  }
}

// A folder below --output_dir for a run that is to leave nothing. Every rank has one, since hosts may not share it; it
// is removed with its content, also when the run fails. Its name has the chief's process and time, so that it is not
// another job's or the user's.
class ScratchFolder {
 public:
  // COLLECTIVE.
  ScratchFolder(const std::string& output_dir, Communicator& world) : outer_(output_dir) {
    struct Job {
      std::int64_t process = ::getpid();
      std::int64_t seconds = std::time(nullptr);
    } job;
    broadcast_value(world, job, 0);
    if (output_dir.empty()) return;
    std::error_code unknown;
    outer_is_new_ = !std::filesystem::exists(outer_, unknown);
    if (world.rank() == 0) remove_abandoned(outer_);
    inner_ = outer_ / fmt::format("{}{}.{}", kScratchName, job.process, job.seconds);
  }
  ~ScratchFolder() {
    if (inner_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(inner_, ignored);
    if (outer_is_new_) std::filesystem::remove(outer_, ignored);  // if it is empty
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path() const { return inner_.string(); }

 private:
  std::filesystem::path outer_;
  std::filesystem::path inner_;
  bool outer_is_new_ = false;
};

ScheduleEnd run_test(TrainSettings settings, const HParams& hparams, const Registry& registry,
                     const TrainingRank& rank) {
  constexpr std::int64_t kSteps = 3;
  const ScratchFolder scratch(settings.output_dir, rank.everyone());
  settings.output_dir = scratch.path();
  settings.train_steps = kSteps;
  settings.train_epochs.reset();
  settings.eval_steps = 1;
  ScheduleEnd end = run_train(settings, hparams, registry, rank);
  if (!end.lost_ranks) all_gather_value(rank.everyone(), std::uint8_t{1});  // no rank writes any more
  if (end.code == ExitCode::done) rank.log.result("the test has passed: nothing of it is left");
  return end;
}

}  // namespace

HParams check_schedule(const TrainSettings& settings, const Registry& registry) {
  const ScheduleKind& kind = schedule_kind(settings.schedule);
  if (kind.work == Work::train || kind.work == Work::test) return resolve_hparams(settings, registry);
  if (kind.on_train_data && is_given(settings, "eval_split")) {
    throw Error(ExitCode::usage,
                fmt::format("--eval_split={} is given, too: --schedule={} evaluates on the training split; leave one "
                            "of the two out",
                            settings.eval_split, kind.name),
                Scope::every_rank);
  }
  if (kind.work == Work::predict && settings.output_dir.empty()) {
    throw Error(ExitCode::usage,
                "--schedule=predict needs --output_dir=DIR, where it writes predictions.h5 and predictions.csv",
                Scope::every_rank);
  }
  const bool there = !settings.output_dir.empty() || (kind.work != Work::follow && !settings.checkpoint_path.empty());
  if (there) return {};
  throw Error(ExitCode::usage,
              fmt::format("--schedule={} needs --output_dir=DIR, the folder of a training run{}", kind.name,
                          kind.work == Work::follow ? "" : ", or --checkpoint_path=FILE"),
              Scope::every_rank);
}

namespace {

ScheduleEnd run_work(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                     const TrainingRank& rank) {
  // Ranks with different work would wait for each other in different collectives.
  check_agreement(rank.everyone(), std::vector<AgreedItem>{{"--schedule", settings.schedule}});
  switch (schedule_kind(settings.schedule).work) {
    case Work::train:
      return run_train(settings, hparams, registry, rank);
    case Work::evaluate:
      return run_evaluate(settings, registry, rank);
    case Work::follow:
      return run_follow(settings, registry, rank);
    case Work::test:
      return run_test(settings, hparams, registry, rank);
    case Work::predict:
      return run_predict(settings, registry, rank);
  }
  LS_CHECK(false, "a schedule without work");
}

}  // namespace

ScheduleEnd run_schedule(const TrainSettings& settings, const HParams& hparams, const Registry& registry,
                         const TrainingRank& rank) {
  try {
    return run_work(settings, hparams, registry, rank);
  } catch (const DeviceError& error) {
    throw Error(error.code(), describe_device_failure(error, settings, rank));
  } catch (const PeerEnded& error) {
    throw Error(error.code(), fmt::format("{}. {}", error.what(), describe_restart(settings)));
  }
}

}  // namespace lockstep
