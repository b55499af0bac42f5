#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "data/arrays/array_source.h"
#include "data/arrays/block_cache.h"

namespace lockstep {

// Random access to the rows of a numeric array, as floats. Reads the file in blocks of neighbouring rows and keeps the
// most recently used blocks as stored. Any threads may call at once.
class ArrayRows {
 public:
  // REQUIRES: the elements are uint8 or floats.
  ArrayRows(std::unique_ptr<const ArraySource> source, std::int64_t block_rows, std::int64_t blocks_kept);

  const ArrayForm& form() const { return source_->form(); }
  std::int64_t blocks() const { return (form().rows() - 1) / block_rows_ + 1; }

  // Fills `into`, one row long. Throws Error(bad_data) that names the array if it cannot be read, and the sample if one
  // of the block has a value that is not finite.
  void read(std::int64_t row, std::span<float> into) const;

  // Loads a block into memory if it is not there. Throws what read() throws.
  void load(std::int64_t block) const { cache_.get(block); }

 private:
  void load_block(std::int64_t block, std::vector<std::byte>& bytes) const;

  std::unique_ptr<const ArraySource> source_;
  std::int64_t row_bytes_;
  std::int64_t block_rows_;
  mutable BlockCache cache_;
};

}  // namespace lockstep
