#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/problems.h"
#include "data/sequences/sequence_files.h"
#include "data/sequences/sequence_problem.h"
#include "data/sequences/sequence_sides.h"
#include "data/sequences/stored_sequences.h"

namespace lockstep {
namespace {

using OpenedSplits = PerSplit<std::optional<SplitSequences>>;

class StoredProblem final : public SequenceProblem {
 public:
  // REQUIRES: splits that all have inputs, or none of them.
  StoredProblem(const OpenedSplits& opened, const SymbolRange& range) : vocabulary_(range.size) {
    for (const Split split : kAllSplits) {
      const std::optional<SplitSequences>& arrays = opened[split];
      if (!arrays) continue;
      targets_[split] = StoredSequences(arrays->targets, range);
      if (!arrays->inputs) continue;
      has_inputs_ = true;
      inputs_[split] = StoredSequences(*arrays->inputs, range);
    }
  }

  std::int64_t vocabulary() const override { return vocabulary_; }
  bool has_inputs() const override { return has_inputs_; }
  std::int64_t count(Split split) const override { return targets_[split].count(); }

  SequenceLengths lengths(Split split, std::int64_t sample) const override {
    return {.inputs = has_inputs_ ? inputs_[split].length(sample) : 0, .targets = targets_[split].length(sample)};
  }

  void read_pair(Split split, std::int64_t sample, SequencePair& pair) const override {
    targets_[split].read(sample, pair.targets);
    pair.inputs.clear();
    if (has_inputs_) inputs_[split].read(sample, pair.inputs);
    pair.before = kPadSymbol;
  }

  const StoredSequences& targets(Split split) const { return targets_[split]; }

 private:
  PerSplit<StoredSequences> targets_;
  PerSplit<StoredSequences> inputs_;
  std::int64_t vocabulary_;
  bool has_inputs_ = false;
};

// Checks that all splits have the same sides, and as many inputs as targets.
void check_sides(const OpenedSplits& opened) {
  const SplitSequences* first = nullptr;
  for (const Split split : kAllSplits) {
    if (!opened[split]) continue;
    const SplitSequences& here = *opened[split];
    if (first == nullptr) first = &here;
    const ArrayForm& targets = here.targets.lengths->form();
    if (here.inputs.has_value() != first->inputs.has_value()) {
      throw Error(ExitCode::bad_data,
                  fmt::format("{} is of {}, and {} of {}: all splits have inputs, or none of them", targets.name,
                              here.inputs ? "pairs with inputs" : "targets alone", first->targets.lengths->form().name,
                              first->inputs ? "pairs with inputs" : "targets alone"));
    }
    if (!here.inputs) continue;
    const ArrayForm& inputs = here.inputs->lengths->form();
    if (inputs.rows() == targets.rows()) continue;
    throw Error(ExitCode::bad_data, fmt::format("{} has {} sequences but {} has {}: every sequence of the inputs needs "
                                                "its targets; write both again",
                                                inputs.name, inputs.rows(), targets.name, targets.rows()));
  }
}

[[noreturn]] void refuse_all_padding(const std::string& where) {
  throw Error(
      ExitCode::bad_data,
      fmt::format("{}: every symbol is 0, which is padding, never predicted and never scored; number what there "
                  "is from 1 on (1 ends a sequence), or from 2",
                  where));
}

// The symbols of the split that determines the vocabulary.
SymbolRange range_of_data(const SplitSequences& split) {
  std::int64_t largest = largest_symbol(split.targets);
  std::int64_t symbols = split.targets.symbols->form().rows();
  if (split.inputs) {
    largest = std::max(largest, largest_symbol(*split.inputs));
    symbols += split.inputs->symbols->form().rows();
  }
  const std::string& where = split.targets.symbols->form().name;
  if (largest == kPadSymbol) refuse_all_padding(where);
  // Symbols that are keys or hashes would need a model larger than any memory.
  constexpr std::int64_t kPlausibleSymbols = 1'000'000;
  if (largest >= std::max(kPlausibleSymbols, symbols)) {
    throw Error(ExitCode::bad_data, fmt::format("{}: there is symbol {}, but there are {} symbols in all; number them "
                                                "without gaps, or give hparam vocab_size",
                                                where, largest, symbols));
  }
  return {.size = largest + 1,
          .reason =
              "which the training split has; number them as there, or give hparam vocab_size, as many as there are "
              "in all splits"};
}

SymbolRange range_of(const OpenedSplits& opened, const ProblemOptions& options) {
  if (options.known) {
    return {.size = options.known->vocabulary,
            .reason =
                "which the model was made for; number them as in the data it was trained on, or give the checkpoint "
                "of another model"};
  }
  if (options.vocab_size > 0) {
    return {.size = options.vocab_size, .reason = "as hparam vocab_size says; give a larger one or fix the data"};
  }
  const std::optional<SplitSequences>& reference = opened[options.only.value_or(Split::train)];
  LS_CHECK(reference.has_value(), "the split that is needed was opened");
  return range_of_data(*reference);
}

// Refuses a split without a single target that counts: nothing could be learned from it, and its evaluation would look
// perfect.
void check_scored(const OpenedSplits& opened, const StoredProblem& problem) {
  for (const Split split : kAllSplits) {
    const std::int64_t symbols = problem.targets(split).symbols();
    if (!opened[split] || symbols == 0 || problem.targets(split).paddings() < symbols) continue;
    refuse_all_padding(opened[split]->targets.symbols->form().name);
  }
}

void remark_padding(StoredProblem& problem) {
  const std::int64_t paddings = problem.targets(Split::train).paddings();
  if (paddings == 0) return;
  problem.add_remark(
      fmt::format("{} of {} training targets are symbol 0, which is padding: it is neither learned nor scored. If it "
                  "means something, number symbols from 1 on (1 ends a sequence), or from 2",
                  paddings, problem.targets(Split::train).symbols()));
}

}  // namespace

std::unique_ptr<Problem> make_sequences(std::string_view name, const ProblemOptions& options) {
  const SequenceName parsed = parse_sequence_name(name);
  const OpenedSplits opened = open_sequences(options);
  check_sides(opened);
  auto problem = std::make_unique<StoredProblem>(opened, range_of(opened, options));
  check_scored(opened, *problem);
  if (!options.known) remark_padding(*problem);
  return arrange_sides(parsed, std::move(problem));
}

}  // namespace lockstep
