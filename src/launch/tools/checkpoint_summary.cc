#include "launch/tools/checkpoint_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/json.h"
#include "base/printable.h"
#include "checkpoint/decoder.h"
#include "checkpoint/format.h"
#include "checkpoint/shape_json.h"

namespace lockstep {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;  // label and text

// The rows in two columns, the first as wide as it has to be.
std::string columns(const Rows& rows) {
  std::size_t width = 0;
  for (const auto& [what, text] : rows) width = std::max(width, what.size());
  std::string lines;
  for (const auto& [what, text] : rows) lines += fmt::format("  {:<{}}  {}\n", what, width, text);
  return lines;
}

// A hyperparameter's value for people: a text without its quotes.
std::string hparam_text(const Json& value) {
  const auto* const text = value.as<std::string>();
  return escaped(text != nullptr ? *text : value.text(Json::Form::readable));
}

std::string optimizer_text(const CheckpointSummary& summary) {
  if (summary.slots.empty()) return "none";
  const std::int64_t begun = summary.header.optimizer_begun;
  return escaped(fmt::format("{}", fmt::join(summary.slots, ", "))) +
         (begun > 0 ? fmt::format(", begun after step {}", begun) : "") +
         (summary.replicas > 0 ? fmt::format(", of {} one by one and their mean", counted(summary.replicas, "replica"))
                               : "");
}

Rows variable_rows(const StoredVariables& variables) {
  Rows rows;
  for (const auto& [name, extents] : variables) {
    rows.emplace_back(escaped(name), fmt::format("({})", fmt::join(extents, ", ")));
  }
  return rows;
}

Rows hparam_rows(const std::string& hparams) {
  const Json json = parse_json(hparams);  // an object: the decoder has checked that
  Rows rows;
  for (const auto& [name, value] : *json.as<Json::Object>()) rows.emplace_back(escaped(name), hparam_text(value));
  return rows;
}

std::string consumed_text(const BatchCursor& cursor) {
  if (cursor.legs.empty()) return counted(cursor.consumed, "sample");
  std::int64_t batches = 0;
  for (const BatchLeg& leg : cursor.legs) batches += leg.batches;
  return counted(batches, "batch", "batches");
}

std::int64_t missed_samples(const BatchCursor& cursor) {
  std::int64_t samples = 0;
  for (const std::vector<std::int64_t>& batch : cursor.missed) samples += std::ssize(batch);
  return samples;
}

std::string missed_text(const BatchCursor& cursor) {
  return fmt::format("{} of {}, which a run that resumes takes first",
                     counted(std::ssize(cursor.missed), "batch", "batches"), counted(missed_samples(cursor), "sample"));
}

Json json_of(const CheckpointSummary& summary) {
  const CheckpointHeader& header = summary.header;
  Json::Array variables;
  for (const auto& [name, extents] : summary.variables) {
    variables.push_back(Json::Object{{"name", name}, {"shape", Json::Array(extents.begin(), extents.end())}});
  }
  return Json::Object{{"file", summary.file},
                      {"bytes", summary.bytes},
                      {"seal", "ok"},
                      {kLockstepVersionAttribute, summary.written_by},
                      {kStepAttribute, header.step},
                      {kEpochAttribute, header.cursor.epoch},
                      {kConsumedAttribute, header.cursor.consumed},
                      {"missed_batches", std::ssize(header.cursor.missed)},
                      {"missed_samples", missed_samples(header.cursor)},
                      {kModelAttribute, header.model},
                      {kProblemAttribute, header.problem},
                      {kShapeAttribute, header.shape.empty() ? Json() : parse_json(header.shape)},
                      {kVocabularyDataSet, header.vocabulary.empty() ? Json() : parse_json(header.vocabulary)},
                      {kRandomSeedAttribute, BigInteger{std::to_string(header.seed)}},
                      {"parameters", summary.parameters},
                      {"variables", std::move(variables)},
                      {"optimizer_slots", Json::Array(summary.slots.begin(), summary.slots.end())},
                      {kOptimizerBegunAttribute, header.optimizer_begun},
                      {kReplicasAttribute, summary.replicas},
                      {"moving_average", summary.has_average},
                      {kEmaUpdatesAttribute, header.ema_updates},
                      {kHparamsAttribute, parse_json(header.hparams)},
                      {kConfigAttribute, parse_json(header.config)}};
}

}  // namespace

CheckpointSummary summarize_checkpoint(const std::string& path) {
  const CheckpointDecoder reader(path);
  const StoredVariables variables = reader.variables();
  const std::optional<std::int64_t> parameters = count_values(variables);
  if (!parameters) {
    throw Error(ExitCode::bad_data, fmt::format("{}: its variables are larger than any can be", in_quotes(path)));
  }
  return {.file = path,
          .bytes = static_cast<std::int64_t>(std::filesystem::file_size(path)),
          .written_by = reader.written_by(),
          .header = reader.header(),
          .variables = variables,
          .parameters = *parameters,
          .slots = reader.slots(),
          .has_average = reader.has_average(),
          .replicas = reader.replicas()};
}

std::string summary_json(const CheckpointSummary& summary) {
  try {
    return json_of(summary).text();
  } catch (const std::invalid_argument&) {
    throw Error(ExitCode::bad_data,
                fmt::format("{}: one of its names or texts is not UTF-8, and so cannot be written as JSON; "
                            "--format=text shows it",
                            in_quotes(summary.file)));
  }
}

std::string summary_text(const CheckpointSummary& summary) {
  const CheckpointHeader& header = summary.header;
  Rows rows = {
      {"size", fmt::format("{} bytes; the seal is right", summary.bytes)},
      {"version", summary.written_by.empty() ? "not said" : "Lockstep " + escaped(summary.written_by)},
      {"step", fmt::format("{}; epoch {} and {}", header.step, header.cursor.epoch, consumed_text(header.cursor))},
      {"model", escaped(header.model)},
      {"problem", escaped(header.problem)},
      {"inputs and targets", header.shape.empty() ? "not said" : shape_to_json(shape_from_json(header.shape))},
      {"random seed", std::to_string(header.seed)},
      {"parameters", fmt::format("{} in {}", summary.parameters, counted(std::ssize(summary.variables), "variable"))},
      {"optimizer state", optimizer_text(summary)},
      {"moving average", summary.has_average ? "after " + counted(header.ema_updates, "update") : "none"}};
  if (!header.cursor.missed.empty()) rows.emplace_back("missed", missed_text(header.cursor));
  return escaped(summary.file) + "\n" + columns(rows) + "\nvariables\n" + columns(variable_rows(summary.variables)) +
         "\nhyperparameters\n" + columns(hparam_rows(header.hparams));
}

}  // namespace lockstep
