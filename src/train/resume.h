#pragma once

#include <memory>
#include <optional>
#include <string>

#include "train/checkpoint_reader.h"
#include "train/output_folder.h"
#include "train/run_config.h"
#include "train/state_copy.h"

namespace lockstep {

// What a run goes on from: the same on all ranks, but for the reader.
struct Resumption {
  CheckpointHeader header{};
  std::string file{};  // its path
  int replicas = 0;    // whose optimizer states it holds one by one
  double seconds = 0;  // that it took to look for it, to check and to read it
  SavedConfig config{};
  std::unique_ptr<CheckpointReader> reader{};  // the chief's
};

// Looks for the checkpoint to go on from: the newest whole one, by the rules of CheckpointFolder::candidates(). None if
// the folder has none. COLLECTIVE. Throws Error, on the chief: bad_data naming a damaged file that checkpoint.json
// points at and the whole one before it, which --resume=previous takes; or that none is whole.
std::optional<Resumption> find_resumption(const TrainSettings& settings, const TrainingRank& rank,
                                          const OutputFolder& output);

// The bucket size of this run: as asked for, else that of the checkpoint if it decides the bits of a sum in this world
// (same number of ranks, no --exact), else the usual one.
double resolved_fusion_mb(const TrainSettings& settings, const std::optional<Resumption>& from, int ranks);

// Puts the checkpoint's state in place of the initial one, and closes its file. new_optimizer: the optimizer was
// changed knowingly, its state begins anew. Returns what had to be said differently than "as it was saved", for the
// log. COLLECTIVE.
std::string restore(Resumption& from, const TrainingState& state, bool new_optimizer);

}  // namespace lockstep
