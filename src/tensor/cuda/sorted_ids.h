#pragma once

#include <cstdint>

#include <device_code.h>

namespace lockstep {

// Ids of a table's rows, each with the place it occurs at, as one key: keys in order are sorted by id and, for equal
// ids, by place. Keys of no id come last.
inline constexpr std::uint32_t kNoId = 0xFFFFFFFFU;

__device__ inline std::uint32_t id_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
__device__ inline std::uint32_t place_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }
__device__ inline std::uint64_t key_of(std::uint32_t id, std::uint32_t place) {
  return std::uint64_t{id} << 32 | place;
}

// The number of keys for `count` ids: one for each, and keys of no id up to a multiple of kKeyTile.
inline constexpr std::int64_t kKeyTile = 2048;
inline std::int64_t count_keys(std::int64_t count) { return (count + kKeyTile - 1) / kKeyTile * kKeyTile; }

// Ids that count as none: those outside [0, rows), and `skipped`.
struct IdRange {
  std::int64_t rows;
  std::int64_t skipped;  // -1: none
};

// Submits the sorting of `count` ids, below 2^31: log4(count / kKeyTile) + 1 kernels. Returns where the keys will lie:
// in one of the two memories of count_keys(count) keys each.
const std::uint64_t* sort_ids(GpuStream stream, const std::int32_t* ids, std::int64_t count, const IdRange& range,
                              std::uint64_t* keys, std::uint64_t* other_keys);

}  // namespace lockstep
