#include "tensor/cpu/cpu_backend.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "host_tensor.h"

namespace lockstep {
namespace {

TEST_CASE("products of all transpositions and odd sizes agree with float64") {
  const auto backend = make_cpu_backend();
  struct Size {
    std::int64_t m, n, k;
  };
  for (const Size size : {Size{1, 1, 1}, {3, 5, 7}, {17, 33, 65}, {128, 10, 512}, {5, 3, 0}}) {
    for (Transpose a_op : {Transpose::no, Transpose::yes}) {
      for (Transpose b_op : {Transpose::no, Transpose::yes}) {
        for (Write write : {Write::replace, Write::add}) {
          CAPTURE(size.m);
          CAPTURE(size.k);
          Host<float> a(a_op == Transpose::no ? Shape{size.m, size.k} : Shape{size.k, size.m}, 1);
          Host<float> b(b_op == Transpose::no ? Shape{size.k, size.n} : Shape{size.n, size.k}, 2);
          Host<float> c({size.m, size.n}, 3);
          Host<float> bias({size.n}, 4);
          auto a64 = doubled(a);
          auto b64 = doubled(b);
          auto c64 = doubled(c);
          auto bias64 = doubled(bias);
          const bool with_bias = write == Write::replace;
          backend->product(a.tensor(), a_op, b.tensor(), b_op, c.tensor(), write, with_bias ? bias.tensor() : Tensor());
          backend->product(a64.tensor(), a_op, b64.tensor(), b_op, c64.tensor(), write,
                           with_bias ? bias64.tensor() : Tensor());
          CHECK(largest_difference(c.data, c64.data) < 1e-6 * static_cast<double>(size.k + 1));
        }
      }
    }
  }
}

TEST_CASE("products with a transposed matrix alone agree with float64, however many shapes come and go") {
  const auto backend = make_cpu_backend();
  const auto check = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    Host<float> a({m, k}, 1);
    Host<float> b({n, k}, 2);
    Host<float> c({m, n}, 3);
    auto a64 = doubled(a);
    auto b64 = doubled(b);
    auto c64 = doubled(c);
    backend->product(a.tensor(), Transpose::no, b.tensor(), Transpose::yes, c.tensor(), Write::replace, {});
    backend->product(a64.tensor(), Transpose::no, b64.tensor(), Transpose::yes, c64.tensor(), Write::replace, {});
    CHECK(largest_difference(c.data, c64.data) < 1e-6 * static_cast<double>(k + 1));
    return c.data;
  };
  const std::vector<float> first = check(3, 5, 7);
  for (const std::int64_t m : {1, 2, 128, 511, 512, 513}) {
    check(m, 1, 10);
    check(m, 33, 1);
    check(m, 17, 65);
  }
  for (std::int64_t n = 1; n <= 70; ++n) check(4, n, 9);  // more shapes than are kept
  CHECK(check(3, 5, 7) == first);
}

TEST_CASE("a product of known numbers") {
  const auto backend = make_cpu_backend();
  Host<double> a({2, 3});
  a.data = {1, 2, 3, 4, 5, 6};
  Host<double> b({3, 2});
  b.data = {1, 0, 0, 1, 2, 2};
  Host<double> bias({2});
  bias.data = {10, 20};
  Host<double> c({2, 2});
  backend->product(a.tensor(), Transpose::no, b.tensor(), Transpose::no, c.tensor(), Write::replace, bias.tensor());
  CHECK(c.data == std::vector<double>{17, 28, 26, 37});
}

TEST_CASE("a product of tensors that do not fit is refused") {
  const auto backend = make_cpu_backend();
  Host<float> a({2, 3});
  Host<float> b({4, 2});
  Host<float> c({2, 2});
  CHECK_THROWS_AS(
      backend->product(a.tensor(), Transpose::no, b.tensor(), Transpose::no, c.tensor(), Write::replace, {}), Error);
}

TEST_CASE("activations and their slopes agree with float64") {
  const auto backend = make_cpu_backend();
  for (Activation activation :
       {Activation::relu, Activation::tanh, Activation::gelu, Activation::gelu_tanh, Activation::sigmoid}) {
    Host<float> x({257}, 1);
    Host<float> dy({257}, 2);
    Host<float> y({257});
    auto x64 = doubled(x);
    auto dy64 = doubled(dy);
    Host<double> y64({257});
    backend->activate(activation, x.tensor(), y.tensor());
    backend->activate(activation, x64.tensor(), y64.tensor());
    CHECK(largest_difference(y.data, y64.data) < 1e-6);
    backend->activate_backward(activation, x.tensor(), y.tensor(), dy.tensor(), dy.tensor());
    backend->activate_backward(activation, x64.tensor(), y64.tensor(), dy64.tensor(), dy64.tensor());
    CHECK(largest_difference(dy.data, dy64.data) < 1e-6);
  }
}

TEST_CASE("ReLU lets NaN through, so that it is found") {
  const auto backend = make_cpu_backend();
  Host<float> x({3});
  x.data = {-1, std::numeric_limits<float>::quiet_NaN(), 2};
  backend->activate(Activation::relu, x.tensor(), x.tensor());
  CHECK(x.data[0] == 0);
  CHECK(std::isnan(x.data[1]));
  CHECK(x.data[2] == 2);
}

TEST_CASE("dropout depends on the sample, not on its place in the batch") {
  const auto backend = make_cpu_backend();
  const RandomStream stream{.seed = 7, .purpose = Purpose::dropout, .stream = 3, .step = 11};
  Host<float> x({3, 1001});
  std::fill(x.data.begin(), x.data.end(), 1.0F);
  Host<float> y({3, 1001});
  Host<float> alone({1, 1001});
  std::vector<std::int64_t> ids{5, 99, 5};
  const auto id_tensor = [](std::int64_t* id, std::int64_t count) { return Tensor(id, DType::int64, {count}); };
  backend->dropout(0.25, stream, id_tensor(ids.data(), 3), x.tensor(), y.tensor());
  backend->dropout(0.25, stream, id_tensor(&ids[1], 1), x.tensor().rows(1, 2), alone.tensor());
  const auto row = [&](std::size_t i) {
    return std::vector<float>(y.data.begin() + static_cast<std::ptrdiff_t>(i * 1001),
                              y.data.begin() + static_cast<std::ptrdiff_t>((i + 1) * 1001));
  };
  CHECK(row(0) == row(2));
  CHECK(row(0) != row(1));
  CHECK(row(1) == alone.data);
  double kept = 0;
  for (float value : y.data) {
    CHECK((value == 0 || value == doctest::Approx(4.0 / 3)));
    kept += value > 0 ? 1 : 0;
  }
  CHECK(kept / 3003 == doctest::Approx(0.75).epsilon(0.05));
}

TEST_CASE("reductions") {
  const auto backend = make_cpu_backend();
  Host<float> matrix({2, 3});
  matrix.data = {1, 2, 3, 10, 20, 30};
  Host<float> sums({3});
  backend->sum_rows(matrix.tensor(), sums.tensor());
  CHECK(sums.data == std::vector<float>{11, 22, 33});

  Host<float> values({37});
  for (std::size_t i = 0; i < 37; ++i) values.data[i] = static_cast<float>(i);
  CHECK(backend->first_not_finite(values.tensor()) == -1);
  values.data[20] = std::numeric_limits<float>::infinity();
  CHECK(backend->first_not_finite(values.tensor()) == 20);
}

namespace {

template <class T>
std::vector<double> sums_of_squares(Host<T>& values) {
  const auto backend = make_cpu_backend();
  Host<double> sums({(static_cast<std::int64_t>(values.data.size()) + kSquaresChunk - 1) / kSquaresChunk});
  backend->sum_squares(values.tensor(), sums.tensor());
  return sums.data;
}

template <class T>
void check_sums_of_squares() {
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{37}, kSquaresChunk, 2 * kSquaresChunk + 5}) {
    CAPTURE(count);
    Host<T> values({count});
    for (std::int64_t i = 0; i < count; ++i) values.data[static_cast<std::size_t>(i)] = static_cast<T>(i % 37);
    std::vector<double> expected;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i % kSquaresChunk == 0) expected.push_back(0);
      expected.back() += static_cast<double>((i % 37) * (i % 37));
    }
    CHECK(sums_of_squares(values) == expected);
  }
}

}  // namespace

TEST_CASE("squares are summed chunk by chunk") {
  check_sums_of_squares<float>();
  check_sums_of_squares<double>();
  const auto backend = make_cpu_backend();
  Host<double> none({0});
  backend->sum_squares(Host<float>({0}).tensor(), none.tensor());
  CHECK_THROWS_AS(backend->sum_squares(Host<float>({kSquaresChunk + 1}).tensor(), Host<double>({1}).tensor()), Error);
}

TEST_CASE("the sum of a chunk is not finite exactly if one of its values is not: the largest do not overflow it") {
  Host<float> values({3 * kSquaresChunk});
  std::fill(values.data.begin(), values.data.end(), std::numeric_limits<float>::max());
  values.data[static_cast<std::size_t>(kSquaresChunk) + 9] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<double> sums = sums_of_squares(values);
  CHECK(std::isfinite(sums[0]));
  CHECK(!std::isfinite(sums[1]));
  CHECK(std::isfinite(sums[2]));
}

TEST_CASE("soft-max cross-entropy of known logits") {
  const auto backend = make_cpu_backend();
  Host<float> logits({2, 3});
  logits.data = {0, std::log(2.0F), 0, 1000, 0, -1000};
  std::vector<std::int32_t> labels{1, 2};
  Host<float> weights({2});
  weights.data = {1, 0.5F};
  Host<float> gradient({2, 3});
  Host<double> sums({3});
  backend->softmax_cross_entropy(0, logits.tensor(), Tensor(labels.data(), DType::int32, {2}), weights.tensor(),
                                 gradient.tensor(), sums.tensor());
  // Row 0: probabilities 1/4, 1/2, 1/4; row 1: 1, 0, 0 with the last class as label.
  CHECK(sums.data[0] == doctest::Approx(std::log(2.0) + 0.5 * 2000));
  CHECK(sums.data[1] == 1.5);
  CHECK(sums.data[2] == 1);
  const std::vector<float> expected{0.25F, -0.5F, 0.25F, 0.5F, 0, -0.5F};
  for (std::size_t i = 0; i < 6; ++i) CHECK(gradient.data[i] == doctest::Approx(expected[i]));
}

TEST_CASE("mean squared error of known numbers") {
  const auto backend = make_cpu_backend();
  Host<float> predictions({2, 2});
  predictions.data = {1, 2, 3, 4};
  Host<float> targets({2, 2});
  targets.data = {0, 0, 3, 6};
  Host<float> weights({2});
  weights.data = {2, 1};
  Host<float> gradient({2, 2});
  Host<double> sums({3});
  backend->mean_squared_error(predictions.tensor(), targets.tensor(), weights.tensor(), gradient.tensor(),
                              sums.tensor());
  CHECK(sums.data == std::vector<double>{2 * 2.5 + 2, 3, 0});
  CHECK(gradient.data == std::vector<float>{2, 4, 0, -2});
}

TEST_CASE("an empty batch is no special case") {
  const auto backend = make_cpu_backend();
  Host<float> x({0, 4});
  Host<float> w({4, 3});
  Host<float> y({0, 3});
  backend->product(x.tensor(), Transpose::no, w.tensor(), Transpose::no, y.tensor(), Write::replace, {});
  Host<float> gradient({4, 3});
  backend->product(x.tensor(), Transpose::yes, y.tensor(), Transpose::no, gradient.tensor(), Write::replace, {});
  CHECK(gradient.data == std::vector<float>(12));
  Host<double> sums({3});
  backend->softmax_cross_entropy(0, y.tensor(), Tensor(nullptr, DType::int32, {0}),
                                 Tensor(nullptr, DType::float32, {0}), y.tensor(), sums.tensor());
  CHECK(sums.data == std::vector<double>{0, 0, 0});
}

}  // namespace
}  // namespace lockstep
