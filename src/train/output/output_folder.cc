#include "train/output/output_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>

#include <filesystem>

#include "base/input_file.h"
#include "base/worker_thread.h"
#include "collective/wait_for_chief.h"
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
    taken = thread.add([holding, folder = settings.output_dir, mine = this_process(rank.job_id), log = &rank.log] {
      holding->lease = Lease::acquire({.folder = folder, .mine = mine, .log = log}, *holding->clock);
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

OutputFolder open_output_folder(const TrainSettings& settings, const TrainingRank& rank) {
  OutputFolder output;
  if (settings.output_dir.empty()) return output;
  const auto phase = rank.trace.enter(Phase::write);
  if (rank.is_chief()) make_folders(settings.output_dir);
  std::shared_ptr<Lease> lease = take_lease(settings, rank);
  if (rank.is_chief()) {
    output.lease = std::move(lease);
    output.path = settings.output_dir;
    output.checkpoints = std::make_unique<CheckpointDirectory>(settings.output_dir, settings.keep_checkpoints);
    output.checkpoints->remove_leftovers();
  }
  open_rank_logs(settings.output_dir, rank);
  // What a reader of this file alone would miss.
  rank.log.debug("{:%Y-%m-%d %H:%M:%S} UTC: a run of lockstep {} begins, {} of {} ranks, process {}{}: {}",
                 fmt::gmtime(std::time(nullptr)), LOCKSTEP_VERSION, fmt::format("rank {}", rank.world.rank()),
                 rank.world.size(), ::getpid(), rank.job_id.empty() ? "" : ", job " + rank.job_id,
                 flags_text(settings));
  return output;
}

OpenedMetrics open_metrics(const OutputFolder& output, const TrainingRank& rank, std::optional<std::int64_t> resumed,
                           bool evaluate_again) {
  OpenedMetrics opened;
  if (output.checkpoints) {
    const std::string path = (std::filesystem::path(output.path) / "metrics.jsonl").string();
    std::error_code unknown;
    const bool there = std::filesystem::is_regular_file(path, unknown);
    MetricsHistory history;
    if (resumed && there) history = cut_metrics(read_file(path), *resumed, evaluate_again);
    if (!resumed && there) rank.log.warning("{} of an earlier run, which saved nothing, is replaced", path);
    opened.file = std::make_unique<MetricsFile>(path, history.kept, [lease = output.lease] { lease->check(); });
    opened.evaluated = history.evaluated;
    opened.wall_seconds = history.wall_seconds;
  }
  broadcast_value(rank.world, opened.evaluated, 0);
  return opened;
}

}  // namespace lockstep
