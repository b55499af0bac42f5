#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/state.h"
#include "checkpoint/variable_match.h"

namespace lockstep {

// The content of a checkpoint file, without its values. A plain value.
struct CheckpointSummary {
  std::string file{};  // its path
  std::int64_t bytes = 0;
  std::string written_by{};  // the version of Lockstep; "" if the file does not say
  CheckpointHeader header{};
  StoredVariables variables{};
  std::int64_t parameters = 0;       // number of values in all variables
  std::vector<std::string> slots{};  // names of the optimizer's slots
  bool has_average = false;
  int replicas = 0;  // replicas whose optimizer states it holds one by one
};

// Reads the whole file for its seal, and no values. Throws Error as CheckpointDecoder does, and bad_data for variables
// of more values than 64 bits count.
CheckpointSummary summarize_checkpoint(const std::string& path);

// The summary as `lockstep inspect` prints it. summary_json(): JSON without a line break, the attributes under their
// names in the file (docs/checkpoint_format.md); throws Error(bad_data) if a text is not UTF-8. summary_text(): lines
// for people. Pure.
std::string summary_json(const CheckpointSummary& summary);
std::string summary_text(const CheckpointSummary& summary);

}  // namespace lockstep
