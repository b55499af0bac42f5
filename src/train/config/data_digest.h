#pragma once

#include <cstdint>
#include <string>

#include "data/problem.h"

namespace lockstep {

// Tells a split of one data set from that of another with as many samples: the beginning of the SHA-256 over a few
// samples at fixed places, inputs and targets as the model gets them, as hexadecimal. Not all samples are read, so it
// is no proof of equality.
std::string data_digest(const Problem& problem, Split split);

// Checksum over a split's inputs and targets as the model gets them, as hexadecimal, to compare it between the ranks of
// a job. Any single value that differs in a sample that is read changes it. All samples are read if they are small
// enough for that at the start (ComparedSamples), else some at fixed places. Throws what Problem::read throws.
std::string data_checksum(const Problem& problem, Split split);

// The samples that data_checksum() reads: blocks of neighbours, spread evenly over a split and always with its first
// and its last one. Pure. REQUIRES: sample_bytes > 0.
struct ComparedSamples {
  // Bytes that are read of a training split, and of another one: inputs as float32, all symbols of sequences as int32.
  // This takes less time than reading them from a disk, and covers all of many data sets, Fashion-MNIST among them.
  static constexpr std::int64_t kTrainBytes = 256 << 20;
  static constexpr std::int64_t kOtherBytes = 64 << 20;

  std::int64_t block = 1;   // samples of a block; the last may have fewer
  std::int64_t blocks = 0;  // blocks of the split
  std::int64_t looked_at = 0;

  std::int64_t block_at(std::int64_t i) const;  // number of the i-th block that is read
};
ComparedSamples compared_samples(std::int64_t samples, std::int64_t block, std::int64_t sample_bytes,
                                 std::int64_t most_bytes);

}  // namespace lockstep
