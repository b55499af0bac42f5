#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {
namespace {

constexpr RandomStream kStream{.seed = 0x123456789abcdefU, .purpose = Purpose::dropout, .stream = 515, .step = 70'007};

Host<std::int64_t> samples(std::int64_t rows) {
  Host<std::int64_t> ids({rows});
  for (std::int64_t i = 0; i < rows; ++i) {
    ids.data[static_cast<std::size_t>(i)] = (std::int64_t{1} << 40) - 1 - i * i * 1'000'003;
  }
  return ids;
}

TEST_CASE("dropout keeps and drops what it does on the CPU, bit for bit, for any rate and length of rows") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    for (const double rate : {0.0, 0.1, 0.5, 0.999}) {
      for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{1, 1}, Shape{5, 3}, Shape{4, 4}, Shape{7, 5},
                                 Shape{3, 513}, Shape{33, 128}, Shape{2, 3, 4, 5}, Shape{2, 5000}}) {
        CAPTURE(rate);
        CAPTURE(shape.text());
        Host<float> x(shape, 1);
        Host<float> expected(shape);
        Host<std::int64_t> ids = samples(shape[0]);
        cpu->dropout(rate, kStream, ids.tensor(), x.tensor(), expected.tensor());
        const OnGpu<float> x_there(backend, x);
        const OnGpu<std::int64_t> ids_there(backend, ids);
        const OnGpu<float> y(backend, shape);
        backend.dropout(rate, kStream, ids_there.tensor, x_there.tensor, y.tensor);
        CHECK(y.read() == expected.data);
        backend.dropout(rate, kStream, ids_there.tensor, x_there.tensor, x_there.tensor);
        CHECK(x_there.read() == expected.data);
      }
    }
  });
}

TEST_CASE("dropout is the same wherever its rows lie") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    Host<float> x({8 * 64 + 3}, 1);
    Host<std::int64_t> ids = samples(8);
    const OnGpu<std::int64_t> ids_there(backend, ids);
    for (std::int64_t begin = 0; begin < 4; ++begin) {
      const auto rows = [&](const Tensor& all) { return all.flat({begin, begin + 8 * 64}).reshaped({8, 64}); };
      const OnGpu<float> x_there(backend, x);
      const OnGpu<float> y(backend, x.shape);
      backend.fill(y.tensor, 9);
      backend.dropout(0.3, kStream, ids_there.tensor, rows(x_there.tensor), rows(y.tensor));
      Host<float> expected = Host<float>::of(x.shape, std::vector<float>(x.data.size(), 9.0F));
      cpu->dropout(0.3, kStream, ids.tensor(), rows(x.tensor()), rows(expected.tensor()));
      CHECK(y.read() == expected.data);
    }
  });
}

TEST_CASE("a draw that is the rate keeps its element, as on the CPU") {
  on_gpu([](Backend& backend) {
    RandomStream own = kStream;
    own.sample = 5;
    const OnGpu<std::int64_t> id(backend, Host<std::int64_t>::of({1}, {5}));
    const OnGpu<float> x(backend, Host<float>::of({1, 4}, {1, 1, 1, 1}));
    for (std::size_t i = 0; i < 4; ++i) {
      const OnGpu<float> y(backend, Shape{1, 4});
      backend.dropout(own.block(0)[i] * 0x1p-32, kStream, id.tensor, x.tensor, y.tensor);
      CHECK(y.read()[i] > 0);
    }
  });
}

TEST_CASE("a rate of one, and ids that are not those of the rows, are internal errors") {
  const auto backend = gpu();
  const OnGpu<float> x(*backend, Shape{3, 2});
  const OnGpu<std::int64_t> ids(*backend, Shape{3});
  const OnGpu<std::int64_t> two_ids(*backend, Shape{2});
  CHECK_THROWS_AS(backend->dropout(1, kStream, ids.tensor, x.tensor, x.tensor), Error);
  CHECK_THROWS_AS(backend->dropout(-0.1, kStream, ids.tensor, x.tensor, x.tensor), Error);
  CHECK_THROWS_AS(backend->dropout(0.5, kStream, two_ids.tensor, x.tensor, x.tensor), Error);
}

}  // namespace
}  // namespace lockstep
