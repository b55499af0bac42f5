#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace lockstep {

// The last 32 bytes of a checkpoint file, behind the HDF5: "lockstep seal 1" and a NUL, then as little-endian 64-bit
// integers the number of bytes in front of the seal and their CRC-32 (zlib's). HDF5 readers take no notice of it.
//
// HDF5's own checksums cover data and most metadata, one by one, and its reader was never made for damaged files. The
// seal covers every byte, and is looked at before HDF5 sees one.
inline constexpr std::size_t kSealBytes = 32;
std::array<std::byte, kSealBytes> make_seal(std::span<const std::byte> sealed);

// Reads the whole file, piece by piece. Throws Error(missing_input) if it cannot be opened, Error(bad_data) that names
// file and reason if it has no seal (cut off, or another program's) or if bytes have changed.
void check_seal(const std::string& path);

}  // namespace lockstep
