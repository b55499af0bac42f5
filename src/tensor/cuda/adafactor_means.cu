#include "tensor/cuda/adafactor_means.h"

#include "tensor/cuda/block_reduction.h"

// A block adds up the squares in a tile of a matrix by rows and by columns; a second kernel puts the sums of all tiles
// of a row or a column together, in their order.
namespace lockstep {
namespace {

constexpr int kTileWarps = 8;
constexpr int kWarpRows = kWarp;  // rows that a warp takes one after the other, so that each thread keeps one's sum
constexpr int kTileRows = kTileWarps * kWarpRows;
constexpr int kThreadColumns = 4;
constexpr int kTileColumns = kThreadColumns * kWarp;

constexpr std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

struct Tiles {
  explicit Tiles(const FactoredVariable& variable)
      : of_rows(tiles_of(variable.rows, kTileRows)), of_columns(tiles_of(variable.columns, kTileColumns)) {}
  constexpr std::int64_t of_matrix() const { return of_rows * of_columns; }

  std::int64_t of_rows;
  std::int64_t of_columns;
};

__global__ void tile_sums_kernel(AdafactorForm form, FactoredVariable variable, Tiles tiles, FactoredMemory memory) {
  if (!form.factor.read()) return;
  __shared__ double sums_of_warps[kTileWarps][kTileColumns];
  const std::int64_t matrix = blockIdx.x / tiles.of_matrix();
  const std::int64_t row_tile = blockIdx.x % tiles.of_matrix() / tiles.of_columns;
  const std::int64_t column_tile = blockIdx.x % tiles.of_columns;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t first_row = row_tile * kTileRows + warp * kWarpRows;
  const std::int64_t first_column = column_tile * kTileColumns + lane;

  const float* const gradients = variable.gradients + matrix * variable.rows * variable.columns;
  double column_sums[kThreadColumns] = {};
  double own_row_sum = 0;
  for (int i = 0; i < kWarpRows && first_row + i < variable.rows; ++i) {
    double row_sum = 0;
    for (int k = 0; k < kThreadColumns; ++k) {
      const std::int64_t column = first_column + k * kWarp;
      if (column >= variable.columns) continue;
      const auto square = static_cast<double>(form.square(gradients[(first_row + i) * variable.columns + column]));
      column_sums[k] += square;
      row_sum += square;
    }
    row_sum = reduce_warp(row_sum, Sum());
    if (lane == i) own_row_sum = row_sum;
  }
  if (first_row + lane < variable.rows) {
    memory.row_sums[(matrix * tiles.of_columns + column_tile) * variable.rows + first_row + lane] = own_row_sum;
  }

  for (int k = 0; k < kThreadColumns; ++k) sums_of_warps[warp][k * kWarp + lane] = column_sums[k];
  __syncthreads();
  const int own = static_cast<int>(threadIdx.x);
  const std::int64_t column = column_tile * kTileColumns + own;
  if (own >= kTileColumns || column >= variable.columns) return;
  double sum = 0;
  for (int i = 0; i < kTileWarps; ++i) sum += sums_of_warps[i][own];
  memory.column_sums[(matrix * tiles.of_rows + row_tile) * variable.columns + column] = sum;
}

// mean = decay * mean + fresh * (the sum of `tiles` numbers that lie `stride` apart) / count
__device__ float updated_mean(const AdafactorForm& form, float mean, const double* sums, std::int64_t tiles,
                              std::int64_t stride, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < tiles; ++i) sum += sums[i * stride];
  const double weight = static_cast<double>(form.fresh) / static_cast<double>(count);
  return form.decay * mean + static_cast<float>(weight * sum);
}

// A thread for each row and each column.
__global__ void means_kernel(AdafactorForm form, FactoredVariable variable, Tiles tiles, FactoredMemory memory) {
  if (!form.factor.read()) return;
  const std::int64_t rows = variable.rows;
  const std::int64_t columns = variable.columns;
  for (std::int64_t i = first_index(); i < variable.matrices * (rows + columns); i += index_stride()) {
    const std::int64_t matrix = i / (rows + columns);
    const std::int64_t at = i % (rows + columns);
    float& mean = variable.slot[matrix * rows * columns + at];
    if (at < rows) {
      const double* const sums = memory.row_sums + matrix * tiles.of_columns * rows + at;
      mean = updated_mean(form, mean, sums, tiles.of_columns, rows, columns);
    } else {
      const std::int64_t column = at - rows;
      const double* const sums = memory.column_sums + matrix * tiles.of_rows * columns + column;
      mean = updated_mean(form, mean, sums, tiles.of_rows, columns, rows);
      memory.column_factors[matrix * columns + column] = 1.0F / ::sqrtf(mean);
    }
  }
}

constexpr int kFactorThreads = 1024;
constexpr int kFactorRows = 4 * kFactorThreads;  // of a block, which first takes the mean over all rows

__global__ void __launch_bounds__(kFactorThreads)
    row_factors_kernel(FactoredVariable variable, std::int64_t parts, FactoredMemory memory) {
  __shared__ double scratch[kWarp];
  const std::int64_t matrix = blockIdx.x / parts;
  const float* const means = variable.slot + matrix * variable.rows * variable.columns;
  double sum = 0;
  for (std::int64_t row = threadIdx.x; row < variable.rows; row += kFactorThreads) {
    sum += static_cast<double>(means[row]);
  }
  const double mean = reduce_block(sum, Sum(), scratch) / static_cast<double>(variable.rows);
  const std::int64_t begin = blockIdx.x % parts * kFactorRows;
  for (std::int64_t row = begin + threadIdx.x; row < begin + kFactorRows && row < variable.rows;
       row += kFactorThreads) {
    memory.row_factors[matrix * variable.rows + row] =
        static_cast<float>(1 / ::sqrt(static_cast<double>(means[row]) / mean));
  }
}

struct Extents {
  explicit Extents(const FactoredVariable& variable)
      : row_sums(variable.matrices * Tiles(variable).of_columns * variable.rows),
        column_sums(variable.matrices * Tiles(variable).of_rows * variable.columns),
        row_factors(variable.matrices * variable.rows),
        column_factors(variable.matrices * variable.columns) {}

  std::int64_t row_sums;
  std::int64_t column_sums;
  std::int64_t row_factors;
  std::int64_t column_factors;
};

}  // namespace

std::size_t factored_bytes(const FactoredVariable& variable) {
  const Extents extents(variable);
  return static_cast<std::size_t>(extents.row_sums + extents.column_sums) * sizeof(double) +
         static_cast<std::size_t>(extents.row_factors + extents.column_factors) * sizeof(float);
}

FactoredMemory place_factored(const FactoredVariable& variable, void* memory) {
  const Extents extents(variable);
  auto* const sums = static_cast<double*>(memory);
  auto* const factors = reinterpret_cast<float*>(sums + extents.row_sums + extents.column_sums);
  return {.row_sums = sums,
          .column_sums = sums + extents.row_sums,
          .row_factors = factors,
          .column_factors = factors + extents.row_factors};
}

void update_means(GpuStream stream, const AdafactorForm& form, const FactoredVariable& variable,
                  const FactoredMemory& memory) {
  const Tiles tiles(variable);
  launch(stream, {.blocks = variable.matrices * tiles.of_matrix(), .threads = kTileWarps * kWarp}, &tile_sums_kernel,
         form, variable, tiles, memory);
  launch(stream, grid_of(variable.matrices * (variable.rows + variable.columns)), &means_kernel, form, variable, tiles,
         memory);
  const std::int64_t parts = tiles_of(variable.rows, kFactorRows);
  launch(stream, {.blocks = variable.matrices * parts, .threads = kFactorThreads}, &row_factors_kernel, variable, parts,
         memory);
}

}  // namespace lockstep
