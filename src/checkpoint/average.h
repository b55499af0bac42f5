#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/state.h"

namespace lockstep {

// The mean of arrays of one length: summed up in float64 in the order in which they come, rounded once. Pure.
class ArrayMean {
 public:
  // REQUIRES: as many values as the first array has.
  void add(std::span<const float> values);
  std::vector<float> rounded() const;  // REQUIRES: at least one array

 private:
  std::vector<double> sums_;
  std::int64_t arrays_ = 0;
};

// What of each file is averaged.
enum class AverageOf { parameters, moving_average };

// The parameters that are the mean of several checkpoints', and what else a checkpoint of them says.
struct AveragedCheckpoint {
  CheckpointHeader header{};  // that of the file with the greatest step, of equal ones the last; no moving average
  ParameterTable table{};     // by the variables' names
  std::vector<float> parameters{};
  // Names of hyperparameters that are not the same in all files: what they compute may differ, which nobody but the
  // user can judge. Not train_steps.
  std::set<std::string> other_hparams{};
};

// Reads one file after the other: needs memory for a file's parameters twice, and for their sum. REQUIRES: at least one
// file. Throws Error as CheckpointDecoder does; configuration that names two files and what differs where
// their model, its inputs and targets, or its variables do; configuration for a file without a moving average where
// that was asked for.
AveragedCheckpoint average_checkpoints(std::span<const std::string> files, AverageOf of);

}  // namespace lockstep
