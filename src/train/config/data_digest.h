#pragma once

#include <cstdint>
#include <string>

#include "data/problem.h"

namespace lockstep {

// The beginning of the SHA-256 over a few samples of a split at fixed places, inputs and targets as the model gets
// them, as hexadecimal. It tells data sets with as many samples apart; as not all samples are read, it is no proof of
// equality. Throws what Problem::read throws.
std::string data_digest(const Problem& problem, Split split);

// Checksum over a split's inputs and targets as the model gets them, as hexadecimal, to compare it between the ranks of
// a job. Any single value that differs in a sample that is read changes it. All samples are read if they are no more
// than the bytes below, else some at fixed places. Throws what Problem::read throws.
std::string data_checksum(const Problem& problem, Split split);

// The samples that data_checksum() reads: blocks of neighbours, spread evenly over a split, the first and the last
// block always among them.
struct ComparedSamples {
  // Most bytes to read of a training split, and of another split: inputs as float32, all symbols of sequences as int32.
  // Their checksum takes less time than reading them from a disk, and they are all of many data sets, Fashion-MNIST
  // among them.
  static constexpr std::int64_t kTrainBytes = 256 << 20;
  static constexpr std::int64_t kOtherBytes = 64 << 20;

  std::int64_t block = 1;      // samples of a block; the last block may have fewer
  std::int64_t blocks = 0;     // blocks of the split
  std::int64_t looked_at = 0;  // blocks that are read

  std::int64_t block_at(std::int64_t i) const;  // number of the i-th block that is read, i from 0
};
// Reads two blocks, if there are as many, even if these exceed most_bytes. Pure. REQUIRES: sample_bytes > 0.
ComparedSamples compared_samples(std::int64_t samples, std::int64_t block, std::int64_t sample_bytes,
                                 std::int64_t most_bytes);

}  // namespace lockstep
