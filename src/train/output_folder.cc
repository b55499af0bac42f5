#include "train/output_folder.h"

#include <fmt/format.h>

#include <filesystem>

namespace lockstep {

std::unique_ptr<MetricsFile> open_output_folder(const TrainSettings& settings, const TrainingRank& rank) {
  if (settings.output_dir.empty()) return nullptr;
  const auto phase = rank.trace.enter(Phase::write);
  const std::filesystem::path folder(settings.output_dir);
  std::unique_ptr<MetricsFile> metrics;
  // The chief makes folders and file before any other rank opens its log in them.
  if (rank.world.rank() == 0) {
    std::error_code failure;
    std::filesystem::create_directories(folder / "log", failure);
    if (failure) {
      throw Error(ExitCode::cannot_write, fmt::format("cannot make the folder {}: {}; give another --output_dir",
                                                      (folder / "log").string(), failure.message()));
    }
    const std::string file = (folder / "metrics.jsonl").string();
    if (std::filesystem::exists(file)) rank.log.warning("{} of an earlier run is replaced", file);
    metrics = std::make_unique<MetricsFile>(file);
  }
  rank.world.barrier();
  rank.log.open_file((folder / "log" / fmt::format("rank-{:04}.log", rank.world.rank())).string());
  // What a reader of this file alone would miss.
  rank.log.debug("a run of lockstep {} begins on {} ranks: {}", LOCKSTEP_VERSION, rank.world.size(), text_of(settings));
  return metrics;
}

}  // namespace lockstep
