#pragma once

#include <memory>
#include <optional>

#include "data/array_source.h"
#include "data/problem.h"
#include "data/sequences/per_split.h"

namespace lockstep {

// Sequences as two arrays of whole numbers with one axis: all symbols, one sequence after the other, and how many each
// sequence has. Open.
struct SequenceArrays {
  std::unique_ptr<ArraySource> symbols;
  std::unique_ptr<ArraySource> lengths;
};

// Those of a split.
struct SplitSequences {
  SequenceArrays targets;
  std::optional<SequenceArrays> inputs{};  // none: of single sequences
};

// Opens the splits that are there, of those that were asked for: data sets targets and targets_lengths of
// DIR/<split>.h5, and inputs and inputs_lengths if they are there; or DIR/<split>_targets.npy,
// <split>_targets_lengths.npy and so on. Of options count: data_dir, only, and whether the model is known, for which no
// training split has to be there. Throws Error(usage) if no folder is given; Error(configuration) if both kinds of file
// are there; Error(missing_input) if the split that is needed is not there, an array lacks its lengths or they lack it,
// or a file cannot be read; Error(bad_data) for what is no such array.
PerSplit<std::optional<SplitSequences>> open_sequences(const ProblemOptions& options);

}  // namespace lockstep
