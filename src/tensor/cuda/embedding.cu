#include <cstdint>
#include <limits>

#include <device_code.h>
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/each_element.h"
#include "tensor/cuda/sorted_ids.h"

// An id outside the table, which the host has no time to look for, gives a row of NaN, and no gradient.
namespace lockstep {
namespace {

struct Embedding {
  struct Operands {
    float value;
    float before;
  };
  __device__ Operands load(std::int64_t row, std::int64_t column) const {
    const std::int64_t id = ids[row];
    const float before = add ? y[row * width + column] : 0.0F;
    if (id < 0 || id >= rows) return {std::numeric_limits<float>::quiet_NaN(), before};
    if (id == zero_id || factor == 0.0F) return {0.0F, before};
    return {factor * table[id * width + column], before};
  }
  __device__ void store(std::int64_t row, std::int64_t column, const Operands& of) const {
    y[row * width + column] = of.before + of.value;
  }

  const float* table;
  std::int64_t rows;
  std::int64_t width;
  const std::int32_t* ids;
  std::int64_t zero_id;
  float factor;
  bool add;
  float* y;
};

// The gradient: occurrences sorted by id are cut into chunks, and a thread adds up a column of a chunk. Runs of one id
// that lie within a chunk are complete. The partial sums of others, at the beginning of a chunk (its head) or at the
// end (its tail), are joined by a second kernel. So the work is shared evenly however often an id occurs, and each sum
// is taken in one order only.
constexpr int kChunk = 32;  // occurrences
constexpr int kAtOnce = 8;  // occurrences that are read together

struct EmbeddingSums {
  const std::uint64_t* keys;  // sorted
  std::int64_t chunks;
  std::int64_t width;
  float* dtable;
  float* heads;  // (chunks, width)
  float* tails;  // (chunks, width)

  __device__ const std::uint64_t* keys_of(std::int64_t chunk) const { return keys + chunk * kChunk; }
  __device__ std::uint32_t first_id(std::int64_t chunk) const { return id_of(keys_of(chunk)[0]); }
  __device__ std::uint32_t last_id(std::int64_t chunk) const { return id_of(keys_of(chunk)[kChunk - 1]); }
  // Return whether the chunk's first run began in an earlier one, and whether its last run goes on in the next one.
  __device__ bool goes_back(std::int64_t chunk) const { return chunk > 0 && last_id(chunk - 1) == first_id(chunk); }
  __device__ bool goes_on(std::int64_t chunk) const {
    return chunk + 1 < chunks && first_id(chunk + 1) == last_id(chunk);
  }
};

__device__ void sum_chunk(const EmbeddingSums& sums, const float* dy, float factor, std::int64_t chunk,
                          std::int64_t column) {
  const std::uint64_t* const keys = sums.keys_of(chunk);
  bool in_head = sums.goes_back(chunk);
  const bool has_tail = sums.goes_on(chunk);
  float sum = 0;
  for (int begin = 0; begin < kChunk; begin += kAtOnce) {
    std::uint64_t own[kAtOnce + 1];  // and the next one, which shows where a run ends
    float values[kAtOnce];
    for (int k = 0; k <= kAtOnce; ++k) own[k] = begin + k < kChunk ? keys[begin + k] : key_of(kNoId, 0);
    for (int k = 0; k < kAtOnce; ++k) {
      values[k] = id_of(own[k]) == kNoId ? 0.0F : dy[place_of(own[k]) * sums.width + column];
    }
    for (int k = 0; k < kAtOnce; ++k) {
      const std::uint32_t id = id_of(own[k]);
      sum += factor * values[k];
      if (id == kNoId || id_of(own[k + 1]) == id) continue;
      if (in_head) {
        sums.heads[chunk * sums.width + column] = sum;
      } else if (has_tail && begin + k + 1 == kChunk) {
        sums.tails[chunk * sums.width + column] = sum;
      } else {
        sums.dtable[id * sums.width + column] += sum;
      }
      in_head = false;
      sum = 0;
    }
  }
}

__global__ void sum_chunks_kernel(EmbeddingSums sums, const float* dy, float factor) {
  for (std::int64_t i = first_index(); i < sums.chunks * sums.width; i += index_stride()) {
    const std::int64_t chunk = i / sums.width;
    if (sums.first_id(chunk) != kNoId) sum_chunk(sums, dy, factor, chunk, i % sums.width);
  }
}

// The number of chunks from `chunk` on that begin with the id: they are sorted.
__device__ std::int64_t chunks_of_run(const EmbeddingSums& sums, std::int64_t chunk, std::uint32_t id) {
  std::int64_t begin = chunk;
  std::int64_t end = sums.chunks;
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (sums.first_id(middle) == id) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin - chunk;
}

// Adds up the whole run that ends a chunk, if it began there and goes on.
__global__ void join_chunks_kernel(EmbeddingSums sums) {
  for (std::int64_t i = first_index(); i < sums.chunks * sums.width; i += index_stride()) {
    const std::int64_t chunk = i / sums.width;
    const std::int64_t column = i % sums.width;
    const std::uint32_t id = sums.last_id(chunk);
    const bool begun_earlier = sums.first_id(chunk) == id && sums.goes_back(chunk);
    if (id == kNoId || !sums.goes_on(chunk) || begun_earlier) continue;
    float sum = sums.tails[i];
    const std::int64_t count = chunks_of_run(sums, chunk + 1, id);
    for (std::int64_t k = 1; k <= count; ++k) sum += sums.heads[i + k * sums.width];
    sums.dtable[id * sums.width + column] += sum;
  }
}

std::int64_t width_of_rows(const Tensor& matrix) { return matrix.shape().without_front().elements(); }

}  // namespace

void CudaBackend::embed(const EmbeddingForm& form, const Tensor& table, const Tensor& ids, const Tensor& y,
                        Write write) {
  begin({table, ids, y});
  const std::int64_t width = width_of_rows(table);
  LS_CHECK(width == width_of_rows(y) && y.shape()[0] == ids.count(), "an embedding of unlike tensors");
  if (y.count() == 0) return;
  const Embedding embedding{.table = data_of<float>(table),
                            .rows = table.shape()[0],
                            .width = width,
                            .ids = data_of<std::int32_t>(ids),
                            .zero_id = form.zero_id,
                            .factor = static_cast<float>(form.factor),
                            .add = write == Write::add,
                            .y = data_of<float>(y)};
  launch_each_in_rows(stream_, embedding, ids.count(), width);
}

void CudaBackend::embed_backward(const EmbeddingForm& form, const Tensor& ids, const Tensor& dy, const Tensor& dtable,
                                 Write write) {
  begin({ids, dy, dtable});
  const std::int64_t width = width_of_rows(dtable);
  LS_CHECK(width == width_of_rows(dy) && dy.shape()[0] == ids.count(), "an embedding's gradient of unlike tensors");
  if (write == Write::replace) fill(dtable, 0);
  if (dy.count() == 0) return;
  const std::int64_t keys = count_keys(ids.count());
  const std::int64_t chunks = keys / kChunk;
  auto* const memory =
      static_cast<std::uint64_t*>(scratch(static_cast<std::size_t>(2 * keys) * sizeof(std::uint64_t) +
                                          static_cast<std::size_t>(2 * chunks * width) * sizeof(float)));
  auto* const parts = reinterpret_cast<float*>(memory + 2 * keys);
  const std::uint64_t* const sorted =
      sort_ids(stream_, data_of<std::int32_t>(ids), ids.count(), {.rows = dtable.shape()[0], .skipped = form.zero_id},
               memory, memory + keys);
  const EmbeddingSums sums{.keys = sorted,
                           .chunks = chunks,
                           .width = width,
                           .dtable = data_of<float>(dtable),
                           .heads = parts,
                           .tails = parts + chunks * width};
  const Grid grid = grid_of(chunks * width);
  launch(stream_, grid, &sum_chunks_kernel, sums, data_of<float>(dy), static_cast<float>(form.factor));
  launch(stream_, grid, &join_chunks_kernel, sums);
}

}  // namespace lockstep
