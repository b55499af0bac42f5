#pragma once

#include <memory>
#include <optional>

#include "data/arrays/array_source.h"
#include "data/problem.h"
#include "data/sequences/per_split.h"

namespace lockstep {

// Open sequences, as two one-dimensional arrays of whole numbers: all symbols, one sequence after the other, and the
// number of symbols in each sequence.
struct SequenceArrays {
  std::unique_ptr<ArraySource> symbols;
  std::unique_ptr<ArraySource> lengths;
};

// The sequences of a split.
struct SplitSequences {
  SequenceArrays targets;
  std::optional<SequenceArrays> inputs{};  // none: single sequences
};

// Opens the requested splits that exist: data sets targets and targets_lengths of DIR/<split>.h5, and inputs and
// inputs_lengths if they exist; or DIR/<split>_targets.npy, <split>_targets_lengths.npy and so on. Uses data_dir,
// only, known and, for messages, dev_is_held_out of the options; with a known model no training split is required.
// Throws Error(usage) if no folder is given; Error(configuration) if both kinds of file exist; Error(missing_input) if
// the required split is missing, inputs lack targets, of an array and its lengths one is missing, or a file cannot be
// read; Error(bad_data) if a file holds no such array.
PerSplit<std::optional<SplitSequences>> open_sequences(const ProblemOptions& options);

}  // namespace lockstep
