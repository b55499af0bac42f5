#include "launch/report/read_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "launch/report/read_metrics.h"
#include "train/output/details_file.h"
#include "train/output/metrics.h"

namespace lockstep {
namespace {

constexpr const char* kEvaluators[] = {"eval", "eval_train"};  // where separate evaluators write
constexpr std::int64_t kMaxJsonBytes = 16 << 20;

bool is_empty(const Run& run) {
  return run.training.steps.empty() && run.evaluations.empty() && run.starts.empty() && run.events.empty() &&
         run.ends.empty();
}

// What nobody needs for the curves: null if it cannot be read.
Json json_in(const std::filesystem::path& path) {
  try {
    auto file = InputFile::if_there(path.string(), {.max_bytes = kMaxJsonBytes});
    return file ? parse_json(file->read_all(), JsonMode::tolerant) : Json();
  } catch (const Error&) {
    return {};
  } catch (const JsonError&) {
    return {};
  }
}

}  // namespace

Run read_run(const std::string& folder) {
  const std::filesystem::path path(folder);
  Run run{.name = escaped(folder)};
  const std::string metrics = (path / kMetricsFile).string();
  {
    auto file = InputFile::if_there(metrics, {.max_bytes = kMaxWholeFileBytes});
    if (!file) {
      throw Error(ExitCode::missing_input,
                  fmt::format("there is no {}; give the --output_dir of a run", in_quotes(metrics)));
    }
    read_metrics(file->read_all(), "", run);
  }
  if (is_empty(run) && run.lines_left_out > 0) {
    throw Error(ExitCode::bad_data, fmt::format("{} has no line that a run has written; give the --output_dir of a run",
                                                in_quotes(metrics)));
  }
  for (const char* const part : kEvaluators) {
    auto file = InputFile::if_there((path / part / kMetricsFile).string(), {.max_bytes = kMaxWholeFileBytes});
    if (file) read_metrics(file->read_all(), part, run);
  }
  for (const std::string& file : details_files(folder)) {
    Json details = json_in(file);
    if (details.as<Json::Object>() != nullptr) run.details.push_back(std::move(details));
  }
  run.config = json_in(path / "config.json");
  return run;
}

}  // namespace lockstep
