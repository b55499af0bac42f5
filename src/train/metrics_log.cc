#include "train/metrics_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "train/output/metrics_sink.h"
#include "train/output/output_folder.h"
#include "train/output/start_line.h"

namespace lockstep {
namespace {

// The output folder for metrics alone: on the chief only, and without a lease.
OutputFolder folder_for_metrics(const TrainingRank& rank, const std::string& folder) {
  if (folder.empty()) throw Error(ExitCode::usage, "the folder for metrics has no name; give one", Scope::every_rank);
  if (!rank.is_chief()) return {};
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw Error(ExitCode::cannot_write,
                fmt::format("cannot make the folder {}: {}; give another one", folder, failure.message()));
  }
  OutputFolder output;
  output.path = folder;
  return output;
}

}  // namespace

MetricsLog::MetricsLog(const TrainingRank& rank, const std::string& folder, std::int64_t step) {
  const std::optional<std::int64_t> resumed = step > 0 ? std::optional(step) : std::nullopt;
  OpenedMetrics opened = open_metrics(folder_for_metrics(rank, folder), rank, resumed, /*evaluate_again=*/false);
  sink_ = std::move(opened.sink);
  earlier_seconds_ = opened.wall_seconds;
  write("start", step, start_members(rank.compute.size()));
}

MetricsLog::MetricsLog(std::unique_ptr<MetricsSink> sink, double seconds)
    : sink_(std::move(sink)), earlier_seconds_(seconds) {}

MetricsLog::~MetricsLog() = default;

void MetricsLog::write(const char* kind, std::int64_t step, Json::Object members) {
  if (!sink_) return;
  Json::Object line{{"kind", kind}, {"step", step}, {"wall_seconds", earlier_seconds_ + watch_.seconds()}};
  std::ranges::move(members, std::back_inserter(line));
  sink_->write(std::move(line));
}

}  // namespace lockstep
