#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

class CheckpointHdf5Reader;
class CheckpointHdf5Writer;

// The missed batches of a position in the data (BatchCursor::missed) as two data sets: the samples of all batches, and
// the number of samples in each. A file without missed batches has neither.

// REQUIRES: at least one batch, and no more than kMostMissedBatches; none is empty.
void put_missed(CheckpointHdf5Writer& file, const std::vector<std::vector<std::int64_t>>& missed);

// Returns what put_missed() was given; nothing if the file has no such data sets. Throws Error(bad_data) if it has one
// of the two only, or if they do not make batches of at least one sample each. Does not know how many samples there
// are.
std::vector<std::vector<std::int64_t>> read_missed(const CheckpointHdf5Reader& file);

}  // namespace lockstep
