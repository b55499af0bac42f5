#include <algorithm>
#include <cstdint>
#include <limits>

#include <device_code.h>
#include "tensor/cuda/cuda_backend.h"
#include "tensor/cuda/device_data.h"
#include "tensor/cuda/image_rows.h"
#include "tensor/cuda/sliding_window.h"

// Convolutions as products of matrices, for hosts without a library (Chellapilla, Puri and Simard 2006, "High
// performance convolutional neural networks for document processing"): a row of `patches` has the pixels under the
// window of an output, in the order in which a kernel (KH, KW, C, F) has its rows. Patches are made for as many images
// at a time as fit into kPatchBytes.
namespace lockstep {
namespace {

// Fits the second-level cache of large GPUs, so that patches are read from there, and is enough to fill them.
constexpr std::int64_t kPatchBytes = 32 << 20;

struct Patches {
  SlidingWindow window;
  int run = 0;    // elements of a row of the window, which lie side by side in images and in patches
  int depth = 0;  // elements of a patch

  std::int64_t outputs_of_image() const { return std::int64_t{window.rows.outputs} * window.columns.outputs; }
  std::int64_t images_at_a_time() const {
    const std::int64_t bytes = outputs_of_image() * depth * static_cast<std::int64_t>(sizeof(float));
    return std::max<std::int64_t>(1, std::min(window.batch, kPatchBytes / std::max<std::int64_t>(1, bytes)));
  }
  std::size_t bytes_at_a_time() const {
    return static_cast<std::size_t>(images_at_a_time() * outputs_of_image() * depth) * sizeof(float);
  }
  Tensor matrix(float* memory, Device device) const {
    return {memory, DType::float32, {window.outputs(), depth}, device};
  }
  Grid output_rows() const {
    return grid_of_image_rows(window.batch * window.rows.outputs, std::int64_t{window.columns.outputs} * depth);
  }
  Grid pixel_rows() const { return grid_of_image_rows(window.batch * window.rows.pixels, window.row()); }
  // Returns whether the images are the patches.
  bool are_pixels() const { return window.rows.is_identity() && window.columns.is_identity(); }
};

// patches (B, OH, OW, depth) from x: a block for each row of outputs.
__global__ void gather_patches_kernel(Patches p, const float* x, float* patches) {
  const SlidingWindow& w = p.window;
  const int i = static_cast<int>(blockIdx.x) % w.rows.outputs;
  const float* const image = x + blockIdx.x / w.rows.outputs * w.image();
  const int count = w.columns.outputs * p.depth;
  float* const to = patches + static_cast<std::int64_t>(blockIdx.x) * count;
  for (int e = static_cast<int>(threadIdx.x); e < count; e += static_cast<int>(blockDim.x)) {
    const int j = e / p.depth;
    const int in_patch = e % p.depth;
    const int row = i * w.rows.stride - w.rows.before + in_patch / p.run;
    const int in_row = (j * w.columns.stride - w.columns.before) * w.channels + in_patch % p.run;
    const bool is_padding = row < 0 || row >= w.rows.pixels || in_row < 0 || in_row >= w.row();
    to[e] = is_padding ? 0 : image[static_cast<std::int64_t>(row) * w.row() + in_row];
  }
}

// x: each element is the sum of its occurrences in the patches. A block for each row of pixels.
__global__ void sum_patches_kernel(Patches p, const float* patches, float* x) {
  const SlidingWindow& w = p.window;
  const int row = static_cast<int>(blockIdx.x) % w.rows.pixels;
  const std::int64_t b = blockIdx.x / w.rows.pixels;
  const IndexSpan above = w.rows.outputs_over(row);
  float* const to = x + static_cast<std::int64_t>(blockIdx.x) * w.row();
  for (int e = static_cast<int>(threadIdx.x); e < w.row(); e += static_cast<int>(blockDim.x)) {
    const int column = e / w.channels;
    const IndexSpan beside = w.columns.outputs_over(column);
    float sum = 0;
    for (int i = above.begin; i < above.end; ++i) {
      const int of_row = (row + w.rows.before - i * w.rows.stride) * p.run;
      for (int j = beside.begin; j < beside.end; ++j) {
        const int of_column = (column + w.columns.before - j * w.columns.stride) * w.channels;
        const std::int64_t patch = (b * w.rows.outputs + i) * w.columns.outputs + j;
        sum += patches[patch * p.depth + of_row + of_column + e % w.channels];
      }
    }
    to[e] = sum;
  }
}

// The extents of x, kernel and y, or of their gradients, checked against each other.
Patches patches_of(const WindowForm& window, const Tensor& x, const Tensor& kernel, const Tensor& y) {
  const Shape& in = x.shape();
  const Shape& weights = kernel.shape();
  const Shape& out = y.shape();
  LS_CHECK(in.rank() == 4 && weights.rank() == 4 && out.rank() == 4 && weights[2] == in[3] && weights[3] == out[3] &&
               weights[0] == window.height && weights[1] == window.width,
           "a convolution of " + in.text() + " by " + weights.text() + " into " + out.text());
  const std::int64_t depth = weights[0] * weights[1] * weights[2];
  LS_CHECK(out[2] * depth < std::numeric_limits<int>::max(),
           "a convolution by " + weights.text() + " with rows of " + std::to_string(out[2]) + " outputs");
  return {.window = sliding_window(window, x, y, "a convolution"),
          .run = static_cast<int>(weights[1] * weights[2]),
          .depth = static_cast<int>(depth)};
}

// Pixels, or kernel positions, as rows of a matrix.
Tensor as_matrix(const Tensor& tensor) {
  const std::int64_t columns = tensor.shape()[3];
  return tensor.reshaped({tensor.shape()[0] * tensor.shape()[1] * tensor.shape()[2], columns});
}

// Calls body(first, end, p) for images [first, end); p has their patches.
template <class Body>
void for_some_images(const Patches& patches, Body body) {
  const std::int64_t step = patches.images_at_a_time();
  for (std::int64_t first = 0; first < patches.window.batch; first += step) {
    const std::int64_t end = std::min(first + step, patches.window.batch);
    Patches some = patches;
    some.window.batch = end - first;
    body(first, end, some);
  }
}

}  // namespace

void CudaBackend::convolve(const WindowForm& window, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                           const Tensor& y) {
  begin({x, kernel, bias, y});
  const Patches patches = patches_of(window, x, kernel, y);
  LS_CHECK(bias.count() == y.shape()[3], "a convolution's bias of another size");
  if (y.count() == 0) return;
  const auto multiply = [&](const Tensor& from, const Tensor& to) {
    product(from, Transpose::no, as_matrix(kernel), Transpose::no, as_matrix(to), Write::replace, bias);
  };
  if (patches.are_pixels()) return multiply(as_matrix(x), y);
  if (convolve_by_library(ConvolutionPass::forward, patches.window, x, kernel, y)) return add_to_rows(bias, y);
  auto* const memory = static_cast<float*>(scratch(patches.bytes_at_a_time()));
  for_some_images(patches, [&](std::int64_t first, std::int64_t end, const Patches& some) {
    launch(stream_, some.output_rows(), &gather_patches_kernel, some, data_of<float>(x.rows(first, end)), memory);
    multiply(some.matrix(memory, device()), y.rows(first, end));
  });
}

void CudaBackend::convolve_backward_input(const WindowForm& window, const Tensor& dy, const Tensor& kernel,
                                          const Tensor& dx) {
  begin({dy, kernel, dx});
  const Patches patches = patches_of(window, dx, kernel, dy);
  if (dx.count() == 0) return;
  const auto multiply = [&](const Tensor& from, const Tensor& to) {
    product(as_matrix(from), Transpose::no, as_matrix(kernel), Transpose::yes, to, Write::replace, {});
  };
  if (patches.are_pixels()) return multiply(dy, as_matrix(dx));
  if (convolve_by_library(ConvolutionPass::backward_input, patches.window, dx, kernel, dy)) return;
  auto* const memory = static_cast<float*>(scratch(patches.bytes_at_a_time()));
  for_some_images(patches, [&](std::int64_t first, std::int64_t end, const Patches& some) {
    multiply(dy.rows(first, end), some.matrix(memory, device()));
    launch(stream_, some.pixel_rows(), &sum_patches_kernel, some, memory, data_of<float>(dx.rows(first, end)));
  });
}

void CudaBackend::convolve_backward_kernel(const WindowForm& window, const Tensor& x, const Tensor& dy,
                                           const Tensor& dkernel, const Tensor& dbias) {
  begin({x, dy, dkernel, dbias});
  const Patches patches = patches_of(window, x, dkernel, dy);
  LS_CHECK(dbias.count() == dy.shape()[3], "a convolution's bias gradient of another size");
  sum_rows(as_matrix(dy), dbias);
  if (dy.count() == 0) return fill(dkernel, 0);
  const auto multiply = [&](const Tensor& from, const Tensor& with, Write write) {
    product(from, Transpose::yes, as_matrix(with), Transpose::no, as_matrix(dkernel), write, {});
  };
  if (patches.are_pixels()) return multiply(as_matrix(x), dy, Write::replace);
  if (convolve_by_library(ConvolutionPass::backward_kernel, patches.window, x, dkernel, dy)) return;
  auto* const memory = static_cast<float*>(scratch(patches.bytes_at_a_time()));
  for_some_images(patches, [&](std::int64_t first, std::int64_t end, const Patches& some) {
    launch(stream_, some.output_rows(), &gather_patches_kernel, some, data_of<float>(x.rows(first, end)), memory);
    multiply(some.matrix(memory, device()), dy.rows(first, end), first == 0 ? Write::replace : Write::add);
  });
}

}  // namespace lockstep
