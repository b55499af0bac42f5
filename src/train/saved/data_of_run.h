#pragma once

#include <string>

#include "train/saved/opened_checkpoint.h"

namespace lockstep {

// The place of a run's data: the --data_dir in the config.json of its output_dir.
struct RunData {
  std::string data_dir{};  // "": no such file beside the checkpoint, none in it, or of another problem
  std::string config{};    // the file that says so
};

// The data of the run that saved the checkpoint, which lies in its output_dir or in best/ there, or of the run in
// output_dir, for a file that lies elsewhere. Reads a file of this host.
RunData data_of_run(const OpenedCheckpoint& checkpoint, const std::string& output_dir);

}  // namespace lockstep
