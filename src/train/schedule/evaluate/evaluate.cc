#include "train/schedule/evaluate/evaluate.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "base/durable_file.h"
#include "train/config/pace.h"
#include "train/evaluation/evaluation_lines.h"
#include "train/output/details_file.h"
#include "train/schedule/evaluate/details_text.h"
#include "train/schedule/evaluate/evaluation_details.h"

namespace lockstep {

EvaluationResult evaluate_saved(SavedModel& saved, const OpenedSplit& on, const TrainingRank& rank) {
  const auto phase = rank.trace.enter(Phase::evaluate);
  Evaluation evaluation(rank.compute, rank.backend, *on.problem, saved.model(), saved.parameters());
  return evaluation.run(on.split, evaluated_samples(saved.settings(), saved.hparams(), *on.problem, on.split));
}

std::string checksum_text(std::uint64_t checksum) { return fmt::format("{:08x}", checksum); }

Json::Object evaluation_line(const SavedModel& saved, Split split, const EvaluationResult& result) {
  Json::Object line{{"kind", "eval"}, {"step", saved.checkpoint().header.step}};
  for (auto& member : members_of(split, result)) line.push_back(std::move(member));
  line.emplace_back("checkpoint", std::filesystem::path(saved.checkpoint().file).filename().string());
  line.emplace_back("checksum", checksum_text(saved.checkpoint().checksum));
  line.emplace_back("weights", saved.kind_of_weights());
  return line;
}

void log_evaluation(const SavedModel& saved, Split split, const EvaluationResult& result, Log& log) {
  log.result("step {}: {} {}{}", saved.checkpoint().header.step, name(split), describe(result),
             saved.averaged() ? " (moving average of the weights)" : "");
}

namespace {

// Makes the folder of the file to write, and returns its path. The chief calls it first, before there is anything to
// lose.
std::string prepared_file(const std::string& output_dir, Split split) {
  std::string path = details_file(output_dir, name(split));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw Error(ExitCode::cannot_write, fmt::format("cannot make the folder '{}': {}; give another --output_dir",
                                                    folder.string(), failure.message()));
  }
  check_file_place(path, path);
  return path;
}

// Writes the details to their file and to the log. COLLECTIVE.
void write_details(SavedModel& saved, const OpenedSplit& on, const EvaluationResult& result, const std::string& path,
                   const TrainingRank& rank) {
  const EvaluationDetails details = details_of(saved, on, rank);
  if (!rank.is_chief()) return;
  const auto phase = rank.trace.enter(Phase::write);
  Json::Object members = evaluation_line(saved, on.split, result);
  members.front() = {"kind", "eval_details"};
  for (auto& member : details_members(details)) members.push_back(std::move(member));
  const std::string json = Json(std::move(members)).text(Json::Form::readable) + "\n";
  replace_file(path, std::as_bytes(std::span(json)));
  rank.log.result("{}details are in {}", details_text(details), path);
}

}  // namespace

ScheduleEnd run_evaluate(const TrainSettings& settings, const Registry& registry, const TrainingRank& rank) {
  SavedModel saved(settings, registry, rank, open_saved(settings, rank));
  const OpenedSplit on = open_eval_split(saved);
  rank.log.info("evaluating {}", describe(saved, on));
  const bool details = settings.eval_details;
  const std::string path = details && rank.is_chief() ? prepared_file(settings.output_dir, on.split) : "";
  const EvaluationResult result = evaluate_saved(saved, on, rank);
  log_evaluation(saved, on.split, result, rank.log);
  if (details) write_details(saved, on, result, path, rank);
  return {.answer = Json(evaluation_line(saved, on.split, result)).text(Json::Form::readable) + "\n"};
}

}  // namespace lockstep
