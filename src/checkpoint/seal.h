#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "checkpoint/format.h"

namespace lockstep {

// The last kSealBytes of a checkpoint file, after the HDF5 (checkpoint/format.h). HDF5 readers ignore them.
//
// HDF5's own checksums cover data and most metadata, one by one, and its reader was never made for damaged files. The
// seal covers every byte, and is verified before HDF5 sees any.
std::array<std::byte, kSealBytes> make_seal(std::span<const std::byte> sealed);

// Reads the whole file, piece by piece. Throws Error(missing_input) if it cannot be opened, Error(bad_data) that names
// file and reason if it has no seal (cut off, or another program's) or if bytes have changed.
// Returns the checksum.
std::uint64_t check_seal(const std::string& path);
// The checksum in the seal, without verifying the bytes: to tell one file from another. Throws as check_seal() does if
// the file cannot be opened or has no seal.
std::uint64_t sealed_checksum(const std::string& path);

}  // namespace lockstep
