#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/image_cases.h"

namespace lockstep {
namespace {

// Four axes in float64, with a test for places outside, for the formulas of tensor/backend.h.
struct Array {
  std::int64_t n, h, w, c;
  std::vector<double> values;

  Array(std::int64_t batch, std::int64_t height, std::int64_t width, std::int64_t channels)
      : n(batch),
        h(height),
        w(width),
        c(channels),
        values(static_cast<std::size_t>(batch * height * width * channels)) {}

  bool has(std::int64_t row, std::int64_t column) const { return row >= 0 && row < h && column >= 0 && column < w; }
  double& at(std::int64_t b, std::int64_t row, std::int64_t column, std::int64_t channel) {
    return values[static_cast<std::size_t>(((b * h + row) * w + column) * c + channel)];
  }
  Shape shape() const { return {n, h, w, c}; }
};

Array random_array(Array array, std::uint16_t stream) {
  const RandomStream random{.seed = 2, .stream = stream};
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    array.values[i] = 2 * static_cast<double>(uniform_float(random.block(static_cast<std::uint32_t>(i))[0])) - 1;
  }
  return array;
}

// A tensor of either type with the values of an Array.
template <class T>
struct Host {
  explicit Host(const Array& array) : data(array.values.begin(), array.values.end()), shape(array.shape()) {}
  explicit Host(const std::vector<double>& row) : data(row.begin(), row.end()), shape{std::ssize(row)} {}
  Tensor tensor() { return {data.data(), dtype_of<T>(), shape}; }
  double difference(const std::vector<double>& expected) const {
    double largest = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(data[i]) - expected[i]));
    }
    return largest;
  }

  std::vector<T> data;
  Shape shape;
};

// Calls visit(b, i, j, row, column, p, q) for each output pixel and position of the kernel within the image.
template <class Visit>
void for_each_tap(const Array& x, const Array& y, const WindowForm& w, Visit visit) {
  for (std::int64_t b = 0; b < y.n; ++b) {
    for (std::int64_t i = 0; i < y.h; ++i) {
      for (std::int64_t j = 0; j < y.w; ++j) {
        for (std::int64_t p = 0; p < w.height; ++p) {
          for (std::int64_t q = 0; q < w.width; ++q) {
            const std::int64_t row = i * w.stride_y + p - w.top;
            const std::int64_t column = j * w.stride_x + q - w.left;
            if (x.has(row, column)) visit(b, i, j, row, column, p, q);
          }
        }
      }
    }
  }
}

// One convolution and its gradients, computed by the formula.
struct Expected {
  Array x, kernel, y, dy, dx, dkernel;
  std::vector<double> bias, dbias;
  WindowForm window;

  Expected(const ImageCase& k, const WindowForm& w, std::int64_t out_height, std::int64_t out_width)
      : x(random_array({k.batch, k.height, k.width, k.channels}, 1)),
        kernel(random_array({k.kernel_height, k.kernel_width, k.channels, k.filters}, 2)),
        y(k.batch, out_height, out_width, k.filters),
        dy(random_array(y, 3)),
        dx(k.batch, k.height, k.width, k.channels),
        dkernel(k.kernel_height, k.kernel_width, k.channels, k.filters),
        bias(random_array({1, 1, 1, k.filters}, 4).values),
        dbias(static_cast<std::size_t>(k.filters)),
        window(w) {
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      y.values[i] = bias[i % bias.size()];
      dbias[i % bias.size()] += dy.values[i];
    }
    for_each_tap(x, y, window, [&](auto b, auto i, auto j, auto row, auto column, auto p, auto q) {
      for (std::int64_t c = 0; c < x.c; ++c) {
        for (std::int64_t f = 0; f < y.c; ++f) {
          y.at(b, i, j, f) += x.at(b, row, column, c) * kernel.at(p, q, c, f);
          dx.at(b, row, column, c) += dy.at(b, i, j, f) * kernel.at(p, q, c, f);
          dkernel.at(p, q, c, f) += x.at(b, row, column, c) * dy.at(b, i, j, f);
        }
      }
    });
  }
};

template <class T>
void check_convolution(Backend& backend, const Expected& expected, double tolerance) {
  constexpr double kOld = 77;  // results replace old values
  Host<T> x(expected.x), kernel(expected.kernel), bias(expected.bias), dy(expected.dy);
  Host<T> y(expected.y), dx(expected.dx), dkernel(expected.dkernel), dbias(expected.dbias);
  for (Host<T>* result : {&y, &dx, &dkernel, &dbias}) std::fill(result->data.begin(), result->data.end(), T(kOld));
  backend.convolve(expected.window, x.tensor(), kernel.tensor(), bias.tensor(), y.tensor());
  backend.convolve_backward_kernel(expected.window, x.tensor(), dy.tensor(), dkernel.tensor(), dbias.tensor());
  backend.convolve_backward_input(expected.window, dy.tensor(), kernel.tensor(), dx.tensor());
  CHECK(y.difference(expected.y.values) < tolerance);
  CHECK(dx.difference(expected.dx.values) < tolerance);
  // Sums over the batch and the image: more terms, more rounding errors.
  const double more = std::sqrt(static_cast<double>(expected.x.n * expected.y.h * expected.y.w) + 1);
  CHECK(dkernel.difference(expected.dkernel.values) < tolerance * more);
  CHECK(dbias.difference(expected.dbias) < tolerance * more);
}

TEST_CASE("convolutions and their gradients agree with the formula, odd shapes included") {
  const auto backend = make_cpu_backend();
  for (const ImageCase& k : kConvolutionCases) {
    CAPTURE(k.batch);
    CAPTURE(k.height);
    CAPTURE(k.width);
    CAPTURE(k.channels);
    CAPTURE(k.filters);
    CAPTURE(k.kernel_height);
    CAPTURE(k.stride_y);
    CAPTURE(k.same);
    std::int64_t out_height = 0;
    std::int64_t out_width = 0;
    const WindowForm window = window_of(k, out_height, out_width);
    const Expected expected(k, window, out_height, out_width);
    const auto terms = static_cast<double>(k.kernel_height * k.kernel_width * std::max(k.channels, k.filters));
    check_convolution<float>(*backend, expected, 1e-6 * (1 + terms));
    check_convolution<double>(*backend, expected, 1e-14 * (1 + terms));
  }
}

TEST_CASE("an image's convolution does not depend on how many images come with it") {
  const auto backend = make_cpu_backend();
  for (std::int64_t channels : {1, 3, 32}) {
    constexpr std::int64_t kMany = 21;
    const WindowForm window{.height = 3, .width = 3};
    Host<float> x(random_array({kMany, 13, 13, channels}, 1));
    Host<float> kernel(random_array({3, 3, channels, 64}, 2));
    Host<float> bias(std::vector<double>(64, 0.5));
    Host<float> together(Array(kMany, 11, 11, 64));
    Host<float> alone(Array(kMany, 11, 11, 64));
    backend->convolve(window, x.tensor(), kernel.tensor(), bias.tensor(), together.tensor());
    for (std::int64_t i = 0; i < kMany; ++i) {
      backend->convolve(window, x.tensor().rows(i, i + 1), kernel.tensor(), bias.tensor(),
                        alone.tensor().rows(i, i + 1));
    }
    CHECK(together.data == alone.data);
  }
}

TEST_CASE("a convolution of known numbers") {
  const auto backend = make_cpu_backend();
  Array image(1, 2, 3, 1);
  image.values = {1, 2, 3, 4, 5, 6};
  Array edge(1, 2, 1, 1);  // (KH, KW, C, F): the difference of neighbours
  edge.values = {-1, 1};
  Host<float> x(image), kernel(edge), bias(std::vector<double>{10}), y(Array(1, 2, 2, 1));
  backend->convolve({.height = 1, .width = 2}, x.tensor(), kernel.tensor(), bias.tensor(), y.tensor());
  CHECK(y.data == std::vector<float>{11, 11, 11, 11});
}

TEST_CASE("a convolution of shapes that do not fit together is an error") {
  const auto backend = make_cpu_backend();
  Host<float> x(Array(1, 4, 4, 3)), kernel(Array(3, 3, 2, 5)), bias(std::vector<double>(5)), y(Array(1, 2, 2, 5));
  CHECK_THROWS_WITH_AS(
      backend->convolve({.height = 3, .width = 3}, x.tensor(), kernel.tensor(), bias.tensor(), y.tensor()),
      doctest::Contains("(1, 4, 4, 3) by (3, 3, 2, 5)"), Error);
}

struct Pooled {
  Array y, dx;
};

// Computes pooling by definition: the first maximum of the window in reading order, or the mean of its part in the
// image.
Pooled expected_pooling(Pooling pooling, const WindowForm& w, Array x, Array dy) {
  Pooled result{.y = dy, .dx = x};
  std::fill(result.dx.values.begin(), result.dx.values.end(), 0.0);
  for (std::int64_t b = 0; b < dy.n; ++b) {
    for (std::int64_t i = 0; i < dy.h; ++i) {
      for (std::int64_t j = 0; j < dy.w; ++j) {
        for (std::int64_t c = 0; c < dy.c; ++c) {
          std::vector<double*> values;
          std::vector<double*> gradients;
          for (std::int64_t p = 0; p < w.height; ++p) {
            for (std::int64_t q = 0; q < w.width; ++q) {
              const std::int64_t row = i * w.stride_y + p - w.top;
              const std::int64_t column = j * w.stride_x + q - w.left;
              if (!x.has(row, column)) continue;
              values.push_back(&x.at(b, row, column, c));
              gradients.push_back(&result.dx.at(b, row, column, c));
            }
          }
          if (pooling == Pooling::max) {
            const auto largest =
                std::max_element(values.begin(), values.end(), [](double* one, double* two) { return *one < *two; });
            result.y.at(b, i, j, c) = **largest;
            *gradients[static_cast<std::size_t>(largest - values.begin())] += dy.at(b, i, j, c);
          } else {
            double sum = 0;
            for (double* value : values) sum += *value;
            const auto count = static_cast<double>(values.size());
            result.y.at(b, i, j, c) = sum / count;
            for (double* gradient : gradients) *gradient += dy.at(b, i, j, c) / count;
          }
        }
      }
    }
  }
  return result;
}

template <class T>
void check_pooling(Backend& backend, Pooling pooling, const WindowForm& window, const Array& x_values,
                   const Array& dy_values, const Pooled& expected) {
  Host<T> x(x_values), dy(dy_values), y(expected.y), dx(expected.dx);
  for (Host<T>* result : {&y, &dx}) std::fill(result->data.begin(), result->data.end(), T(77));
  backend.pool(pooling, window, x.tensor(), y.tensor());
  backend.pool_backward(pooling, window, x.tensor(), y.tensor(), dy.tensor(), dx.tensor());
  CHECK(y.difference(expected.y.values) < 1e-6);
  CHECK(dx.difference(expected.dx.values) < 1e-5);
}

TEST_CASE("pooling and its gradients agree with the definition; of equal maxima the first counts") {
  const auto backend = make_cpu_backend();
  for (const ImageCase& k : kPoolingCases) {
    for (Pooling pooling : {Pooling::max, Pooling::average}) {
      CAPTURE(k.batch);
      CAPTURE(k.height);
      CAPTURE(k.channels);
      CAPTURE(k.kernel_height);
      CAPTURE(k.stride_y);
      std::int64_t out_height = 0;
      std::int64_t out_width = 0;
      const WindowForm window = window_of(k, out_height, out_width);
      Array x = random_array({k.batch, k.height, k.width, k.channels}, 1);
      for (double& value : x.values) value = std::round(value * 2) / 2;  // few values: many equal maxima
      const Array dy = random_array({k.batch, out_height, out_width, k.channels}, 2);
      const Pooled expected = expected_pooling(pooling, window, x, dy);
      check_pooling<float>(*backend, pooling, window, x, dy, expected);
      check_pooling<double>(*backend, pooling, window, x, dy, expected);
    }
  }
}

TEST_CASE("NaN goes through maximum pooling") {
  const auto backend = make_cpu_backend();
  for (std::size_t where = 0; where < 4; ++where) {
    Array image(1, 2, 2, 1);
    image.values = {1, 2, 3, 4};
    image.values[where] = std::numeric_limits<double>::quiet_NaN();
    Host<float> x(image), y(Array(1, 1, 1, 1));
    backend->pool(Pooling::max, {.height = 2, .width = 2, .stride_y = 2, .stride_x = 2}, x.tensor(), y.tensor());
    CHECK(std::isnan(y.data[0]));
  }
}

}  // namespace
}  // namespace lockstep
