#pragma once

#include <cstdint>

#include "data/arrays/array_source.h"
#include "data/problem.h"

// Division of arrays into blocks. These numbers are constants, not taken from the machine: they decide the order of the
// samples and so the bits of a run.
namespace lockstep {

// Training inputs up to this size, as stored, are read into memory at the start, and shuffled as a whole.
inline constexpr std::int64_t kInMemoryBytes = 256 << 20;
// Larger ones are read in blocks of about this size, less than twice it (unless a row or a chunk is larger)...
inline constexpr std::int64_t kBlockBytes = 1 << 20;
// ... and shuffled within windows of this size.
inline constexpr std::int64_t kWindowBytes = 64 << 20;

// Rows of a chunked HDF5 data set that are best read together: those of a chunk. A packed chunk can only be unpacked as
// a whole, and a small one is also read as a whole, unless it has parts of rows that fill more than a window; of a
// plain chunk larger than its chunk cache, HDF5 reads parts.
struct ChunkForm {
  std::int64_t rows = 1;
  std::int64_t bytes = 0;
  bool packed = false;
};
std::int64_t rows_of_chunk(const ChunkForm& chunk, std::int64_t row_bytes);

// Rows of a block: whole units (ArrayForm::unit_rows).
std::int64_t block_rows(const ArrayForm& form);

// The layout of training inputs: blocks and windows, none if they go into memory. Throws Error(bad_data) if the rows of
// a chunk, which are read together, are larger than a window.
BlockLayout training_layout(const ArrayForm& form);

// Blocks to keep for a layout: this window, the next one, and some that are in use while they are given up.
std::int64_t blocks_to_keep(const BlockLayout& layout);

}  // namespace lockstep
