#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/state.h"

namespace lockstep {

// The mean of arrays of one length: summed in float64 in the order added, rounded once. Pure.
class ArrayMean {
 public:
  // REQUIRES: as many values as the first array has.
  void add(std::span<const float> values);
  std::vector<float> rounded() const;  // REQUIRES: at least one array

 private:
  std::vector<double> sums_;
  std::int64_t arrays_ = 0;
};

// The arrays of each file to average.
enum class AverageOf { parameters, moving_average };

// Parameters averaged over several checkpoints, and the rest of a checkpoint of them.
struct AveragedCheckpoint {
  CheckpointHeader header{};  // from the file with the greatest step, of equal ones the last; no moving average
  ParameterTable table{};     // ordered by the variables' names
  std::vector<float> parameters{};
  // Names of hyperparameters that differ between the files: these may compute different things, which only the user can
  // judge. Without train_steps.
  std::set<std::string> other_hparams{};
};

// Reads one file after the other: needs memory for a file's parameters twice, and for their sum. REQUIRES: at least one
// file. Throws Error as CheckpointDecoder does; configuration that names two files and the difference if their model,
// its inputs and targets, or its variables differ; configuration for a file without a moving average if that was asked
// for.
AveragedCheckpoint average_checkpoints(std::span<const std::string> files, AverageOf of);

}  // namespace lockstep
