#pragma once

#include <cstdint>
#include <string>

#include "data/problem.h"

namespace lockstep {

// What distinguishes a split of one data set from that of another with as many samples: the beginning of the SHA-256
// over a few samples at fixed places, inputs and targets as the model gets them, as hexadecimal. Not all
// of them are looked at, so it is no proof of equality.
std::string data_digest(const Problem& problem, Split split);

// What a split holds, to compare it between the ranks of a job: a checksum over inputs and targets as the model gets
// them, as hexadecimal. Any one value that differs in a sample that is looked at gives another one. All samples are, if
// they are small enough to read them all at the start (ComparedSamples), else some at fixed places. Throws what
// Problem::read throws.
std::string data_checksum(const Problem& problem, Split split);

// The samples that data_checksum() looks at: blocks of neighbours, spread evenly over a split and always with its first
// and its last one. Pure. REQUIRES: sample_bytes > 0.
struct ComparedSamples {
  // Inputs as float32, of sequences all symbols as int32: so much of a training split, and of another one. Less time
  // than reading them from a disk takes, and enough for all of many data sets, Fashion-MNIST among them.
  static constexpr std::int64_t kTrainBytes = 256 << 20;
  static constexpr std::int64_t kOtherBytes = 64 << 20;

  std::int64_t block = 1;   // samples of a block; the last may have fewer
  std::int64_t blocks = 0;  // there are
  std::int64_t looked_at = 0;

  std::int64_t block_at(std::int64_t i) const;  // the number of the i-th that is looked at
};
ComparedSamples compared_samples(std::int64_t samples, std::int64_t block, std::int64_t sample_bytes,
                                 std::int64_t most_bytes);

}  // namespace lockstep
