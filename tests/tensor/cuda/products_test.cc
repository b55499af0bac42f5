#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {
namespace {

struct Case {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};
constexpr Case kCases[] = {{1, 1, 1}, {3, 5, 7}, {128, 10, 512}, {33, 129, 65}};

double at(const Host<float>& matrix, Transpose op, std::int64_t i, std::int64_t j) {
  const std::int64_t columns = matrix.shape[1];
  return matrix.data[static_cast<std::size_t>(op == Transpose::no ? i * columns + j : j * columns + i)];
}

TEST_CASE("products of every form, against sums in float64") {
  on_gpu([](Backend& backend) {
    for (const Case& size : kCases) {
      for (const Transpose a_op : {Transpose::no, Transpose::yes}) {
        for (const Transpose b_op : {Transpose::no, Transpose::yes}) {
          for (const Write write : {Write::replace, Write::add}) {
            const Host<float> a(a_op == Transpose::no ? Shape{size.m, size.k} : Shape{size.k, size.m}, 1);
            const Host<float> b(b_op == Transpose::no ? Shape{size.k, size.n} : Shape{size.n, size.k}, 2);
            const Host<float> bias({size.n}, 3);
            const Host<float> before({size.m, size.n}, 4);
            const OnGpu<float> c =
                write == Write::add ? OnGpu<float>(backend, before) : OnGpu<float>(backend, before.shape);
            const bool with_bias = write == Write::replace;
            const OnGpu<float> bias_there(backend, bias);
            const OnGpu<float> a_there(backend, a);
            const OnGpu<float> b_there(backend, b);
            backend.product(a_there.tensor, a_op, b_there.tensor, b_op, c.tensor, write,
                            with_bias ? bias_there.tensor : Tensor());
            std::vector<double> expected;
            for (std::int64_t i = 0; i < size.m; ++i) {
              for (std::int64_t j = 0; j < size.n; ++j) {
                double sum = with_bias ? bias.data[static_cast<std::size_t>(j)]
                                       : before.data[static_cast<std::size_t>(i * size.n + j)];
                for (std::int64_t l = 0; l < size.k; ++l) sum += at(a, a_op, i, l) * at(b, b_op, l, j);
                expected.push_back(sum);
              }
            }
            CHECK(largest_difference(c.read(), expected) < 2e-6 * static_cast<double>(size.k + 1));
          }
        }
      }
    }
  });
}

// Factors below 1 are rounded to 11 bits, each product by two halves of the last bit. They are certain to be rounded
// only for sizes whose rows are aligned and that fill tiles: for others a library may have only a float32 kernel.
TEST_CASE("products by TF32 are of factors of 11 bits, and exact again when they are asked to be") {
  const auto backend = gpu();
  if (!backend->tf32_products().empty()) return;
  bool is_rounded = false;
  Case size{};
  SUBCASE("odd sizes") { size = {33, 24, 65}; }
  SUBCASE("whole tiles") {
    size = {128, 128, 256};
    is_rounded = true;
  }
  const Host<float> a({size.m, size.k}, 1), b({size.k, size.n}, 2);
  std::vector<double> expected;
  for (std::int64_t i = 0; i < size.m; ++i) {
    for (std::int64_t j = 0; j < size.n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < size.k; ++l) sum += at(a, Transpose::no, i, l) * at(b, Transpose::no, l, j);
      expected.push_back(sum);
    }
  }
  const OnGpu<float> a_there(*backend, a), b_there(*backend, b), c(*backend, Shape{size.m, size.n});
  const auto error = [&](Float32Products products) {
    backend->set_float32_products(products);
    backend->product(a_there.tensor, Transpose::no, b_there.tensor, Transpose::no, c.tensor, Write::replace, {});
    return largest_difference(c.read(), expected);
  };
  const double bound = 2e-6 * static_cast<double>(size.k + 1);
  CHECK(error(Float32Products::exact) < bound);
  const double of_tf32 = error(Float32Products::tf32);
  if (is_rounded) CHECK(of_tf32 > bound);
  CHECK(of_tf32 < static_cast<double>(size.k) * 0x1p-11);
  CHECK(error(Float32Products::exact) < bound);
}

TEST_CASE("a product of no rows writes nothing, one of no columns zeros") {
  on_gpu([](Backend& backend) {
    const OnGpu<float> none(backend, Shape{0, 3});
    const OnGpu<float> square(backend, Host<float>({3, 3}));
    const OnGpu<float> empty(backend, Shape{0, 3});
    backend.product(none.tensor, Transpose::no, square.tensor, Transpose::no, empty.tensor, Write::replace, {});
    const OnGpu<float> result(backend, Shape{3, 3});
    backend.product(none.tensor, Transpose::yes, none.tensor, Transpose::no, result.tensor, Write::replace, {});
    CHECK(result.read() == std::vector<float>(9, 0.0F));
  });
}

}  // namespace
}  // namespace lockstep
