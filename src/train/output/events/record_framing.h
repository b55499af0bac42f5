#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep {

// CRC-32C (Castagnoli), defined in RFC 3720. Pure.
std::uint32_t crc32c(std::span<const std::byte> bytes);

// A record as it stands in a TFRecord file, which event files are:
//
//   length (u64) | masked crc32c of the length (u32) | the record | masked crc32c of the record (u32)
//
// all of them little-endian. Masked: rotated by 15 bits, plus a constant, since the crc of bytes that hold their own
// crc says little. Pure.
std::string framed(std::string_view record);

}  // namespace lockstep
