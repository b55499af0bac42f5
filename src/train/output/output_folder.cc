#include "train/output/output_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>

#include <filesystem>
#include <utility>

#include "base/input_file.h"
#include "base/worker_thread.h"
#include "checkpoint/format.h"
#include "collective/watch/wait_for_chief.h"
#include "train/output/lost_steps.h"
#include "train/output/metrics.h"
#include "train/output/metrics_history.h"
#include "train/output/rank_logs.h"

namespace lockstep {
namespace {

void make_folders(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder / "log", failure);
  if (!failure) return;
  throw Error(ExitCode::cannot_write, fmt::format("cannot make the folder {}: {}; give another --output_dir",
                                                  (folder / "log").string(), failure.message()));
}

// A lease and the clock it beats by.
struct Holding {
  std::unique_ptr<LeaseClock> clock = make_lease_clock();
  std::unique_ptr<Lease> lease{};
};

// Another job may hold the lease for minutes, so the chief asks on a thread and all ranks wait together.
std::shared_ptr<Lease> take_lease(const TrainSettings& settings, const TrainingRank& rank) {
  WorkerThread thread;
  const auto holding = std::make_shared<Holding>();
  std::uint64_t taken = 0;
  if (rank.is_chief()) {
    const auto step = [line = &rank.trace.line()] { return line->step.load(); };
    taken =
        thread.add([holding, folder = settings.output_dir, mine = this_process(rank.job_id), log = &rank.log, step] {
          holding->lease = Lease::acquire({.folder = folder, .mine = mine, .log = log, .step = step}, *holding->clock);
        });
  }
  const bool taken_over = wait_for_chief(
      rank.world, [&](std::chrono::milliseconds patience) { return thread.wait_for(taken, patience); },
      rank.stop.requested);
  if (!taken_over) {
    throw Error(ExitCode::stopped,
                fmt::format("asked to stop while waiting for --output_dir {}: nothing was begun", settings.output_dir),
                Scope::every_rank);
  }
  return {holding, holding->lease.get()};
}

}  // namespace

FormerMetrics read_former_metrics(const std::string& path) {
  FormerMetrics former;
  try {
    std::optional<InputFile> file = InputFile::if_there(path);
    former.there = file.has_value();
    if (!file) return former;
    if (file->bytes() > kMaxWholeFileBytes) {
      former.strange =
          fmt::format("'{}' has more than {} bytes, the most that are read of it", path, kMaxWholeFileBytes);
    } else {
      former.text = file->read_all();
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing_input && error.code() != ExitCode::bad_data) throw;
    former.strange = error.what();
  }
  return former;
}

void set_metrics_aside(const std::string& path, const std::string& why, const OutputFolder& output, Log& log) {
  output.lease_check()();
  std::error_code failure;
  std::filesystem::rename(path, path + std::string(kSetAsideSuffix), failure);
  if (failure) {
    throw Error(ExitCode::cannot_write, fmt::format("cannot rename '{}' to '{}{}': {}; move it away, or give another "
                                                    "--output_dir",
                                                    path, path, kSetAsideSuffix, failure.message()));
  }
  log.warning("{}; it is now {}{}, and another one is begun", why, path, kSetAsideSuffix);
}

OutputFolder open_output_folder(const TrainSettings& settings, const TrainingRank& rank) {
  OutputFolder output;
  if (settings.output_dir.empty()) return output;
  const auto phase = rank.trace.enter(Phase::write);
  if (rank.is_chief()) make_folders(settings.output_dir);
  std::shared_ptr<Lease> lease = take_lease(settings, rank);
  if (rank.is_chief()) {
    output.lease = std::move(lease);
    output.path = settings.output_dir;
    output.checkpoints = std::make_unique<CheckpointDirectory>(
        settings.output_dir, settings.keep_checkpoints ? KeepRule{.most = *settings.keep_checkpoints} : kUsuallyKept);
    output.checkpoints->remove_leftovers();
  }
  open_rank_logs(settings.output_dir, rank);
  // For a reader who has this file alone.
  rank.log.debug("{:%Y-%m-%d %H:%M:%S} UTC: a run of lockstep {} begins, {} of {} ranks, process {}{}: {}",
                 fmt::gmtime(std::time(nullptr)), LOCKSTEP_VERSION, fmt::format("rank {}", rank.world.rank()),
                 rank.world.size(), ::getpid(), rank.job_id.empty() ? "" : ", job " + rank.job_id,
                 flags_text(settings));
  return output;
}

std::unique_ptr<MetricsFile> open_metrics_file(const std::string& path, std::string_view kept,
                                               const OutputFolder& output, Log& log) {
  return std::make_unique<MetricsFile>(path, kept, output.lease_check(),
                                       [&log](const std::string& text) { log.warning("{}", text); });
}

OpenedMetrics open_metrics(const OutputFolder& output, const TrainingRank& rank, std::optional<std::int64_t> resumed,
                           bool evaluate_again) {
  OpenedMetrics opened;
  if (!output.path.empty()) {
    const std::string path = (std::filesystem::path(output.path) / kMetricsFile).string();
    FormerMetrics former = read_former_metrics(path);
    MetricsHistory history = cut_metrics(former.text, resumed.value_or(0), evaluate_again);
    const std::int64_t begun = output.lease ? output.lease->former_step() : 0;
    const std::string loss = describe_lost_steps(history, begun, resumed);
    if (!resumed) history = {};
    if (history.foreign) former.strange = fmt::format("'{}' has lines that no run has written", path);
    if (!former.strange.empty()) {
      set_metrics_aside(path, former.strange, output, rank.log);
    } else if (!resumed && former.there) {
      rank.log.warning("{} of an earlier run, which saved nothing, is replaced", path);
    }
    if (!loss.empty()) rank.log.warning("{}", loss);
    auto sinks = std::make_unique<MetricsSinks>();
    sinks->add(open_metrics_file(path, history.kept, output, rank.log));
    auto events = std::make_unique<EventFile>(output.path, resumed ? *resumed + 1 : 0);
    opened.events = events.get();
    sinks->add(std::move(events));
    opened.sink = std::move(sinks);
    opened.evaluated = history.evaluated;
    opened.wall_seconds = history.wall_seconds;
    opened.kept = std::move(history.kept);
  }
  broadcast_value(rank.world, opened.evaluated, 0);
  return opened;
}

}  // namespace lockstep
