#include <cstdint>

#include <device_code.h>
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/image_rows.h"
#include "tensor/cuda/sliding_window.h"

namespace lockstep {
namespace {

// One channel of an image; steps in elements.
struct Channel {
  const float* first;
  int row_step;
  int column_step;

  __device__ float at(int row, int column) const {
    return first[static_cast<std::int64_t>(row) * row_step + static_cast<std::int64_t>(column) * column_step];
  }
};

// A window without pixels gives 0.
__device__ float maximum(const Channel& x, const IndexSpan& rows, const IndexSpan& columns) {
  if (rows.count() * columns.count() == 0) return 0;
  float largest = x.at(rows.begin, columns.begin);
  for (int row = rows.begin; row < rows.end; ++row) {
    for (int column = columns.begin; column < columns.end; ++column) {
      const float value = x.at(row, column);
      largest = value > largest ? value : largest;
      largest = value == value ? largest : value;  // NaN stays NaN
    }
  }
  return largest;
}

__device__ float mean(const Channel& x, const IndexSpan& rows, const IndexSpan& columns) {
  float sum = 0;
  for (int row = rows.begin; row < rows.end; ++row) {
    for (int column = columns.begin; column < columns.end; ++column) sum += x.at(row, column);
  }
  const int count = rows.count() * columns.count();
  return sum / static_cast<float>(count > 0 ? count : 1);
}

// Returns whether no pixel of the window before (row, column), in reading order, is as large.
__device__ bool is_first(const Channel& x, const IndexSpan& rows, const IndexSpan& columns, int row, int column) {
  const float value = x.at(row, column);
  for (int above = rows.begin; above <= row; ++above) {
    const int end = above < row ? columns.end : column;
    for (int left = columns.begin; left < end; ++left) {
      if (x.at(above, left) == value) return false;
    }
  }
  return true;
}

// A block for each row of outputs, which lie side by side with all their channels.
__global__ void pool_kernel(Pooling pooling, SlidingWindow s, const float* x, float* y) {
  const IndexSpan rows = s.rows.pixels_under(static_cast<int>(blockIdx.x) % s.rows.outputs);
  const float* const image = x + static_cast<std::int64_t>(blockIdx.x) / s.rows.outputs * s.image();
  const int count = s.columns.outputs * s.channels;
  float* const to = y + static_cast<std::int64_t>(blockIdx.x) * count;
  for (int e = static_cast<int>(threadIdx.x); e < count; e += static_cast<int>(blockDim.x)) {
    const IndexSpan columns = s.columns.pixels_under(e / s.channels);
    const Channel channel{image + e % s.channels, s.row(), s.channels};
    to[e] = pooling == Pooling::max ? maximum(channel, rows, columns) : mean(channel, rows, columns);
  }
}

// A block for each row of pixels. A pixel adds up the gradients from the windows over it, in their order.
__global__ void pool_backward_kernel(Pooling pooling, SlidingWindow s, const float* x, const float* y, const float* dy,
                                     float* dx) {
  const int row = static_cast<int>(blockIdx.x) % s.rows.pixels;
  const std::int64_t b = blockIdx.x / s.rows.pixels;
  const IndexSpan above = s.rows.outputs_over(row);
  for (int e = static_cast<int>(threadIdx.x); e < s.row(); e += static_cast<int>(blockDim.x)) {
    const int column = e / s.channels;
    const int c = e % s.channels;
    const Channel channel{x + b * s.image() + c, s.row(), s.channels};
    const float value = channel.at(row, column);
    const IndexSpan beside = s.columns.outputs_over(column);
    float sum = 0;
    for (int i = above.begin; i < above.end; ++i) {
      const IndexSpan rows = s.rows.pixels_under(i);
      for (int j = beside.begin; j < beside.end; ++j) {
        const IndexSpan columns = s.columns.pixels_under(j);
        const std::int64_t output = ((b * s.rows.outputs + i) * s.columns.outputs + j) * s.channels + c;
        if (pooling == Pooling::average) {
          sum += dy[output] / static_cast<float>(rows.count() * columns.count());
        } else if (value == y[output] && is_first(channel, rows, columns, row, column)) {
          sum += dy[output];
        }
      }
    }
    dx[b * s.image() + static_cast<std::int64_t>(row) * s.row() + e] = sum;
  }
}

SlidingWindow pooling_window(const WindowForm& window, const Tensor& x, const Tensor& y) {
  const SlidingWindow sliding = sliding_window(window, x, y, "pooling");
  LS_CHECK(x.shape()[3] == y.shape()[3], "pooling of " + x.shape().text() + " into " + y.shape().text());
  return sliding;
}

}  // namespace

void CudaBackend::pool(Pooling pooling, const WindowForm& window, const Tensor& x, const Tensor& y) {
  begin({x, y});
  const SlidingWindow s = pooling_window(window, x, y);
  if (y.count() == 0) return;
  launch(stream_, grid_of_image_rows(s.batch * s.rows.outputs, std::int64_t{s.columns.outputs} * s.channels),
         &pool_kernel, pooling, s, data_of<float>(x), data_of<float>(y));
}

void CudaBackend::pool_backward(Pooling pooling, const WindowForm& window, const Tensor& x, const Tensor& y,
                                const Tensor& dy, const Tensor& dx) {
  begin({x, y, dy, dx});
  const SlidingWindow s = pooling_window(window, dx, dy);
  LS_CHECK(x.count() == dx.count() && y.count() == dy.count(), "a pooling's gradient of unlike tensors");
  if (dx.count() == 0) return;
  launch(stream_, grid_of_image_rows(s.batch * s.rows.pixels, s.row()), &pool_backward_kernel, pooling, s,
         data_of<float>(x), data_of<float>(y), data_of<float>(dy), data_of<float>(dx));
}

}  // namespace lockstep
