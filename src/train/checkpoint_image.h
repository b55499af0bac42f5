#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "train/checkpoint.h"

namespace lockstep {

// A checkpoint file as bytes in memory: HDF5 (latest format, chunked data sets with fletcher32, no times) and the seal
// behind it (train/checkpoint_seal.h). The same state gives the same bytes.
class CheckpointImage {
 public:
  // Needs as much memory again as the arrays have. Throws Error(internal) if memory runs out.
  CheckpointImage(const CheckpointHeader& header, const StateLayout& layout, const StateArrays& arrays);

  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes_;  // HDF5 makes it, with malloc and realloc
  std::size_t size_ = 0;
};

}  // namespace lockstep
