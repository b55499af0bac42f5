#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"
#include "tensor/image_cases.h"

namespace lockstep {
namespace {

// A convolution's operands, its result and its gradients.
template <class T>
struct Convolved {
  WindowForm window;
  Host<T> x, kernel, bias, dy;
  std::vector<T> y{}, dx{}, dkernel{}, dbias{};
};

Convolved<float> convolution(const ImageCase& k) {
  std::int64_t out_height = 0;
  std::int64_t out_width = 0;
  const WindowForm window = window_of(k, out_height, out_width);
  return {.window = window,
          .x = Host<float>({k.batch, k.height, k.width, k.channels}, 1),
          .kernel = Host<float>({k.kernel_height, k.kernel_width, k.channels, k.filters}, 2),
          .bias = Host<float>({k.filters}, 3),
          .dy = Host<float>({k.batch, out_height, out_width, k.filters}, 4)};
}

Convolved<double> on_cpu(const Convolved<float>& c) {
  Convolved<double> in{c.window, doubled(c.x), doubled(c.kernel), doubled(c.bias), doubled(c.dy)};
  const auto backend = make_cpu_backend();
  Host<double> y(c.dy.shape), dx(c.x.shape), dkernel(c.kernel.shape), dbias(c.bias.shape);
  backend->convolve(c.window, in.x.tensor(), in.kernel.tensor(), in.bias.tensor(), y.tensor());
  backend->convolve_backward_input(c.window, in.dy.tensor(), in.kernel.tensor(), dx.tensor());
  backend->convolve_backward_kernel(c.window, in.x.tensor(), in.dy.tensor(), dkernel.tensor(), dbias.tensor());
  in.y = y.data;
  in.dx = dx.data;
  in.dkernel = dkernel.data;
  in.dbias = dbias.data;
  return in;
}

void run_on_gpu(Backend& backend, Convolved<float>& c) {
  const OnGpu<float> x(backend, c.x), kernel(backend, c.kernel), bias(backend, c.bias), dy(backend, c.dy);
  const OnGpu<float> y(backend, c.dy.shape), dx(backend, c.x.shape);
  const OnGpu<float> dkernel(backend, c.kernel.shape), dbias(backend, c.bias.shape);
  backend.convolve(c.window, x.tensor, kernel.tensor, bias.tensor, y.tensor);
  backend.convolve_backward_kernel(c.window, x.tensor, dy.tensor, dkernel.tensor, dbias.tensor);
  backend.convolve_backward_input(c.window, dy.tensor, kernel.tensor, dx.tensor);
  c.y = y.read();
  c.dx = dx.read();
  c.dkernel = dkernel.read();
  c.dbias = dbias.read();
}

// Sums of products of values below 1; rounding errors grow with their number, and with the square root of the pixels.
void check_close(const ImageCase& k, const Convolved<float>& result, const Convolved<double>& expected) {
  const auto terms = static_cast<double>(k.kernel_height * k.kernel_width * std::max(k.channels, k.filters));
  const double bound = 1e-6 * (1 + terms);
  const double pixels = static_cast<double>(result.dy.shape.elements()) / static_cast<double>(k.filters);
  CHECK(largest_difference(result.y, expected.y) < bound);
  CHECK(largest_difference(result.dx, expected.dx) < bound);
  CHECK(largest_difference(result.dkernel, expected.dkernel) < bound * std::sqrt(pixels + 1));
  CHECK(largest_difference(result.dbias, expected.dbias) < bound * std::sqrt(pixels + 1));
}

void check_cases(Backend& backend) {
  for (const ImageCase& k : kConvolutionCases) {
    CAPTURE(k.batch);
    CAPTURE(k.height);
    CAPTURE(k.width);
    CAPTURE(k.channels);
    CAPTURE(k.filters);
    CAPTURE(k.kernel_height);
    CAPTURE(k.stride_y);
    CAPTURE(k.same);
    Convolved<float> result = convolution(k);
    run_on_gpu(backend, result);
    check_close(k, result, on_cpu(result));
  }
}

TEST_CASE("convolutions on the GPU and their gradients are those of float64, odd shapes included") {
  on_gpu(check_cases);
}

// More filters than a warp's width and fewer, and symmetric and asymmetric padding.
TEST_CASE("convolutions by a library are the same, and those that it lacks are by our own kernels") {
  on_gpu_with_library([](Backend& backend) {
    check_cases(backend);
    const ImageCase wide{2, 6, 7, 5, 37, 3, 3, 1, 1, true};
    Convolved<float> result = convolution(wide);
    run_on_gpu(backend, result);
    check_close(wide, result, on_cpu(result));
  });
}

TEST_CASE("a window of a pixel takes the images as they are") {
  on_gpu([](Backend& backend) {
    const ImageCase k{3, 5, 4, 7, 6, 1, 1, 1, 1, false};
    Convolved<float> result = convolution(k);
    run_on_gpu(backend, result);
    check_close(k, result, on_cpu(result));
  });
}

// The patches of an image take 13 MB, so two images are processed at a time.
TEST_CASE("images that are too many for one go are all convolved") {
  const auto backend = gpu();
  const ImageCase k{3, 64, 64, 33, 2, 5, 5, 1, 1, true};
  Convolved<float> result = convolution(k);
  run_on_gpu(*backend, result);
  check_close(k, result, on_cpu(result));
}

TEST_CASE("a convolution on the GPU of shapes that do not fit together is an error") {
  const auto backend = gpu();
  const OnGpu<float> x(*backend, Shape{1, 4, 4, 3}), kernel(*backend, Shape{3, 3, 2, 5});
  const OnGpu<float> bias(*backend, Shape{5}), y(*backend, Shape{1, 2, 2, 5});
  CHECK_THROWS_WITH_AS(backend->convolve({.height = 3, .width = 3}, x.tensor, kernel.tensor, bias.tensor, y.tensor),
                       doctest::Contains("(1, 4, 4, 3) by (3, 3, 2, 5)"), Error);
}

}  // namespace
}  // namespace lockstep
