#include "train/saved/warm_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "checkpoint/find_checkpoint.h"
#include "train/saved/saved_vocabulary.h"

namespace lockstep {
namespace {

// The variables taken, in words: "3 of 4 variables".
std::string taken_text(const WarmStart& start, std::size_t all) {
  return fmt::format("{} of {}", start.fits.variables().size(), counted(static_cast<std::int64_t>(all), "variable"));
}

// Copies the variables of one flat array to their places in another.
void scatter(const std::vector<float>& from, const ParameterTable& source, std::vector<float>& into,
             const ParameterTable& target) {
  auto next = source.variables().begin();  // both are in the model's order
  for (const Variable& variable : target.variables()) {
    if (next == source.variables().end() || next->name != variable.name) continue;
    std::copy_n(from.begin() + next->range.begin, next->range.count(), into.begin() + variable.range.begin);
    ++next;
  }
}

// Refuses another vocabulary, with which each row of a table of symbols would stand for another symbol.
void check_vocabulary(const WarmStart& start, const ProblemShape& shape, const Tokenizer* tokenizer,
                      const Table<TokenizerKind>& kinds) {
  const std::string change = vocabulary_change(start.file, start.reader->header(), shape, tokenizer, kinds);
  if (change.empty()) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("--warm_start_from: {} was made with the vocabulary of another text: {}. Take a checkpoint of "
                  "texts with the same symbols",
                  in_quotes(start.file), change));
}

}  // namespace

std::optional<WarmStart> open_warm_start(const TrainSettings& settings, const TrainingRank& rank, bool resumes) {
  if (settings.warm_start_from.empty() || !rank.is_chief()) return {};
  if (resumes) {
    rank.log.info("--warm_start_from={} is ignored: the run resumes from a checkpoint of its own",
                  escaped(settings.warm_start_from));
    return {};
  }
  const auto phase = rank.trace.enter(Phase::read);
  WarmStart start;
  start.file = find_checkpoint(settings.warm_start_from);
  start.reader = std::make_unique<CheckpointDecoder>(start.file);
  return start;
}

void match_warm_start(WarmStart& start, const TrainSettings& settings, const ParameterTable& model,
                      const ProblemShape& shape, const Tokenizer* tokenizer, const Table<TokenizerKind>& kinds) {
  check_vocabulary(start, shape, tokenizer, kinds);
  constexpr std::size_t kShown = 20;
  VariableMatch match = match_variables(start.reader->variables(), model);
  start.fits = std::move(match.fits);
  start.differences = std::move(match.differences);
  const bool some = !start.fits.variables().empty();
  if (start.differences.empty() || (settings.warm_start_partial && some)) return;
  throw Error(
      ExitCode::configuration,
      fmt::format("--warm_start_from: {}, a checkpoint of model {}, has {} of this run's model {}:\n    {}\n  {}",
                  in_quotes(start.file), in_quotes(start.reader->header().model),
                  taken_text(start, model.variables().size()), in_quotes(settings.model),
                  first_of(start.differences, kShown, "\n    "),
                  some ? "Take the model and hparams of that run, or add --warm_start_partial: what fits is taken "
                         "then, and the rest begins with initial values"
                       : "Take the model and hparams of that run, or another checkpoint"));
}

void take_parameters(WarmStart& start, Backend& backend, const ParameterStore& parameters, Log& log) {
  const std::vector<float> values = start.reader->read_parameters(start.fits);
  std::vector<float> all(static_cast<std::size_t>(parameters.table().padded_count()));
  const Tensor on_host(all.data(), DType::float32, Shape{std::ssize(all)});
  backend.copy(parameters.values(), on_host);
  backend.synchronize();
  scatter(values, start.fits, all, parameters.table());
  backend.copy(on_host, parameters.values());
  backend.synchronize();
  log.info("begins with the parameters of {}: step {} of model {}, {}", in_quotes(start.file),
           start.reader->header().step, in_quotes(start.reader->header().model),
           taken_text(start, parameters.table().variables().size()));
  for (const std::string& difference : start.differences) log.info("  not taken: {}", difference);
  start.reader.reset();
}

}  // namespace lockstep
