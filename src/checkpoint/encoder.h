#pragma once

#include <cstddef>
#include <span>

#include "checkpoint/state.h"
#include "data/arrays/hdf5_memory.h"

namespace lockstep {

// A checkpoint file as bytes in memory: HDF5 (version 1.10's format, chunked data sets with fletcher32, no times) and
// the seal after it (checkpoint/seal.h). Equal states give equal bytes.
class EncodedCheckpoint {
 public:
  // Needs as much memory again as the arrays have, and 13 MB for a moment. Throws Error(internal) if memory runs out.
  EncodedCheckpoint(const CheckpointHeader& header, const StateLayout& layout, const StateArrays& arrays);

  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  Hdf5Memory::Bytes bytes_;
  std::size_t size_ = 0;
};

}  // namespace lockstep
