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

// The parameters averaged over several checkpoints, and what else a checkpoint of them needs.
struct AveragedCheckpoint {
  CheckpointHeader header{};  // of the file with the greatest step (the last such); ema_updates, optimizer_begun: 0
  ParameterTable table{};     // ordered by the variables' names
  std::vector<float> parameters{};
  // Names of hyperparameters in which a file differs from the first: the files may compute different things, which only
  // the user can judge. Without train_steps.
  std::set<std::string> other_hparams{};
};

// Reads one file after the other: needs memory for a file's parameters and what is averaged of it, and for the sum in
// float64. REQUIRES: at least one file. Throws Error as CheckpointDecoder does; bad_data for variables that the file
// cannot hold; configuration that names two files and the difference if their model, its inputs and targets, or its
// variables differ, and for a file without a moving average if that was asked for.
AveragedCheckpoint average_checkpoints(std::span<const std::string> files, AverageOf of);

}  // namespace lockstep
