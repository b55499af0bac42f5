#pragma once

#include <optional>
#include <string>

#include "train/config/result_config.h"
#include "train/output/output_folder.h"
#include "train/saved/opened_checkpoint.h"
#include "train/state/state_copy.h"

namespace lockstep {

// The checkpoint that a run resumes from: the same on all ranks, except for the reader.
struct Resumption : OpenedCheckpoint {
  double seconds = 0;  // time to find, check and read it
  SavedConfig config{};
};

// Looks for the checkpoint to resume from: the newest whole one, by the rules of CheckpointDirectory::candidates().
// None if the folder has none. COLLECTIVE. Throws Error, on the chief: bad_data (missing_input if it is gone) naming a
// damaged file that checkpoint.json points at and the whole one before it, which --resume=previous takes; or that none
// is whole. On every rank: bad_data if its attribute config cannot be read.
std::optional<Resumption> find_resumption(const TrainSettings& settings, const TrainingRank& rank,
                                          const OutputFolder& output);

// Throws Error(configuration) on every rank, with both shapes, if the checkpoint's model was made for inputs or targets
// of another shape than those of this run's problem: its variables might fit even so. A file without a shape is
// accepted. tokenizer: the problem's, for the symbol that differs; may be null. kinds: of the registry. Throws what
// saved_tokenizer() throws, too.
void check_shape(const Resumption& from, const TrainSettings& settings, const ProblemShape& shape,
                 const Tokenizer* tokenizer, const Table<TokenizerKind>& kinds);

// Returns whether the checkpoint's weights fit this model; if not, no --allow_changes helps. COLLECTIVE.
Weights weights_of(const Resumption& from, Communicator& world, const ParameterTable& table);

// Puts the checkpoint's state in place of the initial one, and closes its file. new_optimizer: the optimizer was
// changed with --allow_changes, its state is reset. Returns a log line if the state could not be restored exactly; else
// empty. COLLECTIVE. Throws, on the chief, what CheckpointDecoder::read() throws.
std::string restore(Resumption& from, const TrainingState& state, bool new_optimizer);

}  // namespace lockstep
