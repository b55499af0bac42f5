#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/table.h"
#include "checkpoint/decoder.h"
#include "data/sequences/tokenizer.h"
#include "model/parameter_store.h"
#include "tensor/backend.h"
#include "train/config/settings.h"
#include "train/config/training_rank.h"

namespace lockstep {

// The checkpoint that a new run takes its first parameters from (--warm_start_from): no optimizer state, no step. On
// the chief only: the other ranks get its parameters as they get initial values. Constants of the model, such as the
// mean and standard deviation of its inputs, are parameters of the file like others.
struct WarmStart {
  std::string file{};                         // path of the file
  std::unique_ptr<CheckpointDecoder> reader;  // open until its values are taken
  ParameterTable fits{};                      // the model's variables that the file has, by name and shape
  std::vector<std::string> differences{};  // a text for each variable that only one of the two has, or in another shape
};

// Opens the file that was given. None on ranks other than the chief, if none was given, and if the run resumes from a
// checkpoint of its own, which a line in the log then says. Throws Error as find_checkpoint and CheckpointDecoder do.
std::optional<WarmStart> open_warm_start(const TrainSettings& settings, const TrainingRank& rank, bool resumes);

// Finds out which variables of the model the file has, by name and shape. Throws Error(configuration): for others,
// which it lists, unless --warm_start_partial is given and the file has at least one; and for texts of another
// vocabulary. shape, tokenizer: those of this run's problem. kinds: of the registry.
void match_warm_start(WarmStart& start, const TrainSettings& settings, const ParameterTable& model,
                      const ProblemShape& shape, const Tokenizer* tokenizer, const Table<TokenizerKind>& kinds);

// Puts the file's values in place of initial ones, closes it, and logs what was taken and what was not.
void take_parameters(WarmStart& start, Backend& backend, const ParameterStore& parameters, Log& log);

}  // namespace lockstep
