#include "train/schedule/evaluate/checkpoint_watch.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "checkpoint/seal.h"
#include "train/output/metrics.h"
#include "train/saved/saved_steps.h"

namespace lockstep {

CheckpointWatch::CheckpointWatch(std::string folder, Log& log, Wanted wanted)
    : folder_(std::move(folder)), checkpoints_(folder_), log_(log), wanted_(std::move(wanted)) {}

bool CheckpointWatch::begun() const {
  std::error_code unknown;
  return std::filesystem::is_directory(folder_, unknown) && !checkpoints_.files().empty();
}

std::unique_ptr<CheckpointDecoder> CheckpointWatch::next() {
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder_, unknown)) return nullptr;
  const bool had_finished = run_has_finished();  // read before the files are listed: no more will come after it
  for (const std::int64_t step : checkpoints_.files()) {
    if (step == 0) continue;
    if (auto reader = open(step)) return reader;
  }
  finished_ = had_finished;
  return nullptr;
}

std::unique_ptr<CheckpointDecoder> CheckpointWatch::open(std::int64_t step) {
  const std::string path = checkpoints_.path_of(step);
  std::uint64_t checksum = 0;
  try {
    checksum = sealed_checksum(path);
    const auto refused = refused_.find(step);
    if (refused != refused_.end() && refused->second.checksum == checksum) return nullptr;
    if (!wanted_(step, checksum)) return nullptr;
    auto reader = std::make_unique<CheckpointDecoder>(path);
    check_step(*reader, step);
    return reader;
  } catch (const Error& error) {
    // Removed since it was listed, as the oldest ones are, damaged, or a copy of another step's: the next one may be
    // good.
    if (error.code() != ExitCode::missing_input && error.code() != ExitCode::bad_data) throw;
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) return nullptr;  // removed() reports it
    const Refused now{.checksum = checksum, .why = error.what()};
    if (std::exchange(refused_[step], now) == now) return nullptr;
    log_.warning("{}; it is not evaluated", error.what());
    return nullptr;
  }
}

std::vector<std::int64_t> CheckpointWatch::removed() const {
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder_, unknown)) return {};
  // The order matters: a step saved after metrics.jsonl was read is in neither list, or among the files alone.
  std::vector<std::int64_t> steps = saved_steps(read_metrics(folder_));
  const std::vector<std::int64_t> files = checkpoints_.files();
  std::ranges::sort(steps);
  const auto [first, last] = std::ranges::unique(steps);
  steps.erase(first, last);
  // The newest is not removed. Steps beyond it were taken back by a run that resumes at this moment.
  std::erase_if(steps, [&](std::int64_t step) {
    return files.empty() || step > files.back() || std::ranges::binary_search(files, step);
  });
  return steps;
}

bool CheckpointWatch::run_has_finished() const {
  try {
    const auto index = checkpoints_.index();
    return index && index->finished;
  } catch (const Error&) {
    return false;  // damaged: the trainer says so when it starts
  }
}

}  // namespace lockstep
