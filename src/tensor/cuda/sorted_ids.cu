#include "tensor/cuda/sorted_ids.h"

#include <utility>

#include "tensor/cuda/block_reduction.h"

// Blocks sort a tile of keys each, in shared memory; then sorted runs are merged, four to one, until there is one left.
namespace lockstep {
namespace {

constexpr int kTileThreads = kKeyTile / 2;
constexpr std::int64_t kMergedRuns = 4;

__device__ std::uint64_t key_at(const std::int32_t* ids, std::int64_t count, const IdRange& range, std::int64_t i) {
  const std::int64_t id = i < count ? ids[i] : -1;
  const bool counts = 0 <= id && id < range.rows && id != range.skipped;
  return key_of(counts ? static_cast<std::uint32_t>(id) : kNoId, static_cast<std::uint32_t>(i));
}

// Batcher 1968, "Sorting networks and their applications": the bitonic sorter. Runs of `size` keys, in turns ascending
// and descending, are made of two of half the size by comparing keys of which each thread has one pair.
__global__ void __launch_bounds__(kTileThreads)
    sort_tile_kernel(const std::int32_t* ids, std::int64_t count, IdRange range, std::uint64_t* keys) {
  __shared__ std::uint64_t tile[kKeyTile];
  const std::int64_t begin = blockIdx.x * kKeyTile;
  const int own = static_cast<int>(threadIdx.x);
  tile[own] = key_at(ids, count, range, begin + own);
  tile[own + kTileThreads] = key_at(ids, count, range, begin + own + kTileThreads);
  for (int size = 2; size <= kKeyTile; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int left = 2 * own - (own & (distance - 1));
      const int right = left + distance;
      const bool ascending = (left & size) == 0;
      if ((tile[left] > tile[right]) == ascending) {
        const std::uint64_t greater = tile[left];
        tile[left] = tile[right];
        tile[right] = greater;
      }
    }
  }
  __syncthreads();
  keys[begin + own] = tile[own];
  keys[begin + own + kTileThreads] = tile[own + kTileThreads];
}

// The number of sorted keys that are less.
__device__ std::int64_t count_less(const std::uint64_t* keys, std::int64_t count, std::uint64_t key) {
  std::int64_t first = 0;
  while (count > 0) {
    const std::int64_t half = count / 2;
    const bool less = keys[first + half] < key;
    first = less ? first + half + 1 : first;
    count = less ? count - half - 1 : half;
  }
  return first;
}

// Puts a key after all keys of the four runs that are less; no two are equal. REQUIRES: run is a power of two.
__global__ void merge_runs_kernel(const std::uint64_t* from, std::uint64_t* to, std::int64_t count, std::int64_t run) {
  for (std::int64_t i = first_index(); i < count; i += index_stride()) {
    const std::uint64_t key = from[i];
    const std::int64_t own = i & ~(run - 1);
    const std::int64_t first = i & ~(kMergedRuns * run - 1);
    std::int64_t less = i - own;
    for (std::int64_t begin = first; begin < first + kMergedRuns * run && begin < count; begin += run) {
      if (begin == own) continue;
      less += count_less(from + begin, begin + run < count ? run : count - begin, key);
    }
    to[first + less] = key;
  }
}

}  // namespace

const std::uint64_t* sort_ids(GpuStream stream, const std::int32_t* ids, std::int64_t count, const IdRange& range,
                              std::uint64_t* keys, std::uint64_t* other_keys) {
  const std::int64_t keyed = count_keys(count);
  launch(stream, {.blocks = keyed / kKeyTile, .threads = kTileThreads}, &sort_tile_kernel, ids, count, range, keys);
  for (std::int64_t run = kKeyTile; run < keyed; run *= kMergedRuns) {
    launch(stream, grid_of(keyed), &merge_runs_kernel, keys, other_keys, keyed, run);
    std::swap(keys, other_keys);
  }
  return keys;
}

}  // namespace lockstep
