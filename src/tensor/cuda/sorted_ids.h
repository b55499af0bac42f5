#pragma once

#include <cstdint>

#include <device_code.h>

namespace lockstep {

// Numbers of a table's rows, each with the place it occurs at, as one key, so that keys in their order are in the order
// of the numbers and, of equal ones, of the places. Keys of no number come last.
inline constexpr std::uint32_t kNoId = 0xFFFFFFFFU;

__device__ inline std::uint32_t id_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
__device__ inline std::uint32_t place_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }
__device__ inline std::uint64_t key_of(std::uint32_t id, std::uint32_t place) {
  return std::uint64_t{id} << 32 | place;
}

// How many keys `count` ids have: as many, and some of no number, up to a multiple of kKeyTile.
inline constexpr std::int64_t kKeyTile = 2048;
inline std::int64_t count_keys(std::int64_t count) { return (count + kKeyTile - 1) / kKeyTile * kKeyTile; }

// Ids that are no number: those outside [0, rows), and `skipped`.
struct IdRange {
  std::int64_t rows;
  std::int64_t skipped;  // -1: none
};

// Submits what sorts `count` ids, below 2^31: log4(count / kKeyTile) + 1 kernels. Returns where the keys will lie,
// which is one of two memories of count_keys(count) keys each.
const std::uint64_t* sort_ids(GpuStream stream, const std::int32_t* ids, std::int64_t count, const IdRange& range,
                              std::uint64_t* keys, std::uint64_t* other_keys);

}  // namespace lockstep
