#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/config/training_rank.h"

namespace lockstep {

// Opens OUTPUT_DIR/log/rank-NNNN.log on every rank. REQUIRES: the chief has made the folder. If a host does not share
// it, its ranks make one of their own; a rank that cannot write a log goes on without, and the chief warns once for
// each such host. COLLECTIVE. Throws Error(cannot_write) on the chief alone, which has to write there anyway.
void open_rank_logs(const std::string& output_dir, const TrainingRank& rank);

// A rank that has no log file. why: an error's text.
struct MissingLog {
  int rank = 0;
  std::string host;
  std::string why;
};

// Returns a line for each host. missing: in the order of ranks.
std::vector<std::string> describe_missing_logs(std::span<const MissingLog> missing);

}  // namespace lockstep
