#include "launch/report/read_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/printable.h"
#include "data/predictions/prediction_text.h"
#include "launch/report/read_metrics.h"
#include "launch/report/read_predictions.h"
#include "train/output/details_file.h"
#include "train/output/metrics.h"

namespace lockstep {
namespace {

constexpr const char* kEvaluators[] = {"eval", "eval_train"};  // folders of separate evaluators
constexpr std::int64_t kMaxJsonBytes = 16 << 20;

bool is_empty(const Run& run) {
  return run.training.steps.empty() && run.evaluations.empty() && run.starts.empty() && run.events.empty() &&
         run.ends.empty();
}

// Reads a part that the curves do not need: without it the report goes on, and says why it is missing.
template <class Read>
void read_if_good(const std::string& path, Run& run, Read read) {
  try {
    read();
  } catch (const Error& error) {
    run.remarks.emplace_back(error.what());
  } catch (const JsonError& error) {
    run.remarks.push_back(fmt::format("{}: {}", in_quotes(path), escaped(error.what())));
  }
}

// The JSON object in a file; null if there is no such file. Throws JsonError too.
Json json_in(const std::string& path) {
  auto file = InputFile::if_there(path, {.max_bytes = kMaxJsonBytes});
  if (!file) return {};
  Json json = parse_json(file->read_all(), JsonMode::tolerant);
  if (json.as<Json::Object>() == nullptr) throw JsonError("it is no object");
  return json;
}

}  // namespace

Run read_run(const std::string& folder) {
  const std::filesystem::path path(folder);
  Run run{.name = escaped(folder), .folder = escaped(folder)};
  const std::string metrics = (path / kMetricsFile).string();
  {
    auto file = InputFile::if_there(metrics, {.max_bytes = kMaxWholeFileBytes});
    if (!file) {
      throw Error(ExitCode::missing_input,
                  fmt::format("there is no {}; give the --output_dir of a run", in_quotes(metrics)));
    }
    read_metrics(file->read_all(), "", run);
  }
  if (is_empty(run)) {
    throw Error(ExitCode::bad_data, fmt::format("{} has no line that a run has written; give the --output_dir of a run",
                                                in_quotes(metrics)));
  }
  for (const char* const part : kEvaluators) {
    const std::string evaluations = (path / part / kMetricsFile).string();
    read_if_good(evaluations, run, [&] {
      auto file = InputFile::if_there(evaluations, {.max_bytes = kMaxWholeFileBytes});
      if (file) read_metrics(file->read_all(), part, run);
    });
  }
  for (const std::string& file : details_files(folder)) {
    read_if_good(file, run, [&] { run.details.push_back(json_in(file)); });
  }
  const std::string config = (path / "config.json").string();
  read_if_good(config, run, [&] { run.config = json_in(config); });
  const std::string predictions = (path / kPredictionsCsv).string();
  read_if_good(predictions, run, [&] { run.predictions = first_predictions(predictions); });
  return run;
}

}  // namespace lockstep
