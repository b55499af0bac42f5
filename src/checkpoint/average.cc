#include "checkpoint/average.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/printable.h"
#include "checkpoint/decoder.h"
#include "checkpoint/shape_json.h"
#include "checkpoint/variable_match.h"
#include "data/sequences/tokenizer.h"

namespace lockstep {
namespace {

// The first file, whose model the others must have.
struct First {
  std::string path;
  CheckpointHeader header;
};

// The problem a model was made for, as JSON; "" if the file is too old to say.
std::string shape_text(const CheckpointHeader& header) {
  return header.shape.empty() ? "" : shape_to_json(shape_from_json(header.shape));
}

// Describes how another file's model differs from the first one's; "" if it does not.
std::string difference(const CheckpointHeader& first, const ParameterTable& table, const CheckpointDecoder& other) {
  constexpr std::size_t kShown = 5;
  const CheckpointHeader& header = other.header();
  if (header.model != first.model) {
    return fmt::format("the model is {} in the first and {} in the second", in_quotes(first.model),
                       in_quotes(header.model));
  }
  const std::string shape = shape_text(header);
  if (const std::string before = shape_text(first); !before.empty() && !shape.empty() && before != shape) {
    return fmt::format("inputs and targets are {} in the first and {} in the second", before, shape);
  }
  return first_of(match_variables(other.variables(), table, "the second", "the first").differences, kShown, "; ");
}

void check_same_model(const First& first, const ParameterTable& table, const CheckpointDecoder& other,
                      const std::string& path) {
  const std::string differs = difference(first.header, table, other);
  if (differs.empty()) return;
  throw Error(ExitCode::configuration,
              fmt::format("{} and {} are checkpoints of different models, which have no mean: {}. Leave one of the two "
                          "out",
                          in_quotes(first.path), in_quotes(path), differs));
}

// Names of hyperparameters that one of two files lacks, or has with another value.
std::set<std::string> differing_hparams(const CheckpointHeader& one, const CheckpointHeader& other) {
  std::set<std::string> names;
  const Json first = parse_json(one.hparams);
  const Json second = parse_json(other.hparams);
  const auto add_missing = [&](const Json& of, const Json& in) {
    for (const auto& [name, value] : *of.as<Json::Object>()) {
      const Json* const found = in.find(name);
      if (found == nullptr || *found != value) names.insert(name);
    }
  };
  add_missing(first, second);
  add_missing(second, first);
  names.erase("train_steps");  // more steps of the same run
  return names;
}

// A table of the first file's variables. Another program's file could ask for any amount of memory, so there are
// limits: possible shapes, and the number of values that a file of its size can hold if gzip packs them as tightly as
// it can.
ParameterTable table_of(const CheckpointDecoder& reader, const std::string& path) {
  constexpr std::int64_t kMostValuesAByte = 1032;
  const StoredVariables variables = reader.variables();
  const std::optional<std::int64_t> values = count_values(variables);
  if (!values || *values / kMostValuesAByte > static_cast<std::int64_t>(std::filesystem::file_size(path))) {
    throw Error(ExitCode::bad_data,
                fmt::format("{}: its variables have more values than a file of its size holds", in_quotes(path)));
  }
  ParameterTable table;
  for (const auto& [name, extents] : variables) {
    if (extents.size() > Shape::kMaxRank) {
      throw Error(ExitCode::bad_data, fmt::format("{}: {} has {} axes, and a variable has at most {}", in_quotes(path),
                                                  in_quotes(name), extents.size(), Shape::kMaxRank));
    }
    table.add(name, Shape(extents), /*decay=*/true);
  }
  return table;
}

// One file's values for the mean.
std::vector<float> read_values(const CheckpointDecoder& reader, const std::string& path, const ParameterTable& table,
                               AverageOf of) {
  if (of == AverageOf::parameters) return reader.read_parameters(table);
  if (!reader.has_average()) {
    throw Error(ExitCode::configuration,
                fmt::format("{} holds no moving average: it was saved without --ema. Average the parameters instead",
                            in_quotes(path)));
  }
  return reader.read({.table = &table, .average = true}).average;
}

}  // namespace

void ArrayMean::add(std::span<const float> values) {
  if (arrays_++ == 0) sums_.assign(values.size(), 0);
  LS_CHECK(values.size() == sums_.size(), "arrays of different lengths have no mean");
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += values[i];
}

std::vector<float> ArrayMean::rounded() const {
  LS_CHECK(arrays_ > 0, "nothing has no mean");
  std::vector<float> mean(sums_.size());
  std::ranges::transform(sums_, mean.begin(),
                         [this](double sum) { return static_cast<float>(sum / static_cast<double>(arrays_)); });
  return mean;
}

AveragedCheckpoint average_checkpoints(std::span<const std::string> files, AverageOf of) {
  LS_CHECK(!files.empty(), "the mean of no checkpoints");
  AveragedCheckpoint result;
  First first;
  ArrayMean mean;
  std::string vocabulary;  // the first that there is: files of one shape may lack it
  for (const std::string& path : files) {
    const CheckpointDecoder reader(path);
    const CheckpointHeader& header = reader.header();
    if (first.path.empty()) {
      first = {.path = path, .header = header};
      result.table = table_of(reader, path);
    } else {
      check_same_model(first, result.table, reader, path);
      result.other_hparams.merge(differing_hparams(first.header, header));
    }
    mean.add(read_values(reader, path, result.table, of));
    if (header.step >= result.header.step) result.header = header;
    if (vocabulary.empty()) vocabulary = header.vocabulary;
  }
  const std::string& shape = result.header.shape;
  if (!shape.empty() && shape_from_json(shape).vocabulary_digest == vocabulary_digest(vocabulary)) {
    result.header.vocabulary = std::move(vocabulary);
  }
  result.header.ema_updates = 0;
  result.header.optimizer_begun = 0;
  result.parameters = mean.rounded();
  return result;
}

}  // namespace lockstep
