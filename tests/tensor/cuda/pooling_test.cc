#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"
#include "tensor/image_cases.h"

namespace lockstep {
namespace {

struct Pooled {
  std::vector<float> y, dx;
};

Pooled on_cpu(Pooling pooling, const WindowForm& window, Host<float> x, Host<float> dy) {
  const auto backend = make_cpu_backend();
  Host<float> y(dy.shape);
  Host<float> dx(x.shape);
  backend->pool(pooling, window, x.tensor(), y.tensor());
  backend->pool_backward(pooling, window, x.tensor(), y.tensor(), dy.tensor(), dx.tensor());
  return {.y = y.data, .dx = dx.data};
}

Pooled pooled(Backend& backend, Pooling pooling, const WindowForm& window, const Host<float>& x,
              const Host<float>& dy) {
  const OnGpu<float> x_there(backend, x);
  const OnGpu<float> dy_there(backend, dy);
  const OnGpu<float> y(backend, dy.shape);
  const OnGpu<float> dx(backend, x.shape);
  backend.pool(pooling, window, x_there.tensor, y.tensor);
  backend.pool_backward(pooling, window, x_there.tensor, y.tensor, dy_there.tensor, dx.tensor);
  return {.y = y.read(), .dx = dx.read()};
}

// Sums have the CPU's order, so the bits are the CPU's.
TEST_CASE("pooling and its gradients are the CPU's") {
  on_gpu([](Backend& backend) {
    for (const ImageCase& k : kPoolingCases) {
      for (const Pooling pooling : {Pooling::max, Pooling::average}) {
        CAPTURE(k.batch);
        CAPTURE(k.height);
        CAPTURE(k.channels);
        CAPTURE(k.kernel_height);
        CAPTURE(k.stride_y);
        std::int64_t out_height = 0;
        std::int64_t out_width = 0;
        const WindowForm window = window_of(k, out_height, out_width);
        Host<float> x({k.batch, k.height, k.width, k.channels}, 1);
        for (float& value : x.data) value = std::round(value * 2) / 2;  // few values: many equal maxima
        const Host<float> dy({k.batch, out_height, out_width, k.channels}, 2);
        const Pooled expected = on_cpu(pooling, window, x, dy);
        const Pooled result = pooled(backend, pooling, window, x, dy);
        CHECK(result.y == expected.y);
        CHECK(result.dx == expected.dx);
      }
    }
  });
}

TEST_CASE("NaN goes through maximum pooling on the GPU") {
  on_gpu([](Backend& backend) {
    for (std::size_t where = 0; where < 4; ++where) {
      auto image = Host<float>::of({1, 2, 2, 1}, {1, 2, 3, 4});
      image.data[where] = std::numeric_limits<float>::quiet_NaN();
      const WindowForm window{.height = 2, .width = 2, .stride_y = 2, .stride_x = 2};
      const Pooled result = pooled(backend, Pooling::max, window, image, Host<float>({1, 1, 1, 1}));
      CHECK(std::isnan(result.y[0]));
      CHECK(result.dx == std::vector<float>(4, 0.0F));
    }
  });
}

TEST_CASE("pooling of shapes that do not fit together, or of another type, is an error") {
  const auto backend = gpu();
  const OnGpu<float> x(*backend, Shape{1, 4, 4, 3});
  const OnGpu<float> y(*backend, Shape{1, 2, 2, 2});
  const OnGpu<double> whole(*backend, Shape{1, 2, 2, 3});
  const WindowForm window{.height = 2, .width = 2, .stride_y = 2, .stride_x = 2};
  CHECK_THROWS_WITH_AS(backend->pool(Pooling::max, window, x.tensor, y.tensor),
                       doctest::Contains("(1, 4, 4, 3) into (1, 2, 2, 2)"), Error);
  CHECK_THROWS_AS(backend->pool(Pooling::max, window, x.tensor, whole.tensor), Error);
}

}  // namespace
}  // namespace lockstep
