#pragma once

#include <string>

#include "train/saved/opened_checkpoint.h"

namespace lockstep {

// The place of a run's data: the --data_dir in the config.json of its output_dir.
struct RunData {
  std::string data_dir{};  // "": no such file next to the checkpoint, no data_dir in it, or another problem
  std::string config{};    // the file that says so
};

// The data of the run that saved the checkpoint, if the file is in that run's output_dir or in best/ there; otherwise
// those of the run in output_dir. Reads a file of this host.
RunData data_of_run(const OpenedCheckpoint& checkpoint, const std::string& output_dir);

}  // namespace lockstep
