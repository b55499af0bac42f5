#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "host_tensor.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

struct RoundedHost {  // like Host
  Tensor tensor() { return {data.data(), DType::bfloat16, shape}; }

  std::vector<BFloat16> data;
  Shape shape;
};

RoundedHost rounded(const Host<float>& from) {
  RoundedHost to{.data = {}, .shape = from.shape};
  to.data.reserve(from.data.size());
  for (const float value : from.data) to.data.push_back(narrowed<BFloat16>(value));
  return to;
}

Host<double> doubled(const RoundedHost& from) {
  std::vector<double> values;
  values.reserve(from.data.size());
  for (const BFloat16 value : from.data) values.push_back(static_cast<double>(widened(value)));
  return Host<double>::of(from.shape, std::move(values));
}

struct Case {
  std::int64_t m, n, k;
  Transpose a_op = Transpose::no;
  Transpose b_op = Transpose::no;
  Write write = Write::replace;
  bool has_bias = false;
};

// Compares with the float64 product of the rounded numbers: the only difference is the rounding of sums in float32,
// whose terms are below 1 and exact. Returns the result.
std::vector<float> check_product(Backend& backend, const Case& c) {
  CAPTURE(c.m);
  CAPTURE(c.n);
  CAPTURE(c.k);
  CAPTURE(c.a_op);
  CAPTURE(c.b_op);
  auto a = rounded(Host<float>(c.a_op == Transpose::no ? Shape{c.m, c.k} : Shape{c.k, c.m}, 1));
  auto b = rounded(Host<float>(c.b_op == Transpose::no ? Shape{c.k, c.n} : Shape{c.n, c.k}, 2));
  Host<float> result({c.m, c.n}, 3);
  Host<float> bias({c.n}, 4);
  auto a64 = doubled(a);
  auto b64 = doubled(b);
  auto result64 = doubled(result);
  auto bias64 = doubled(bias);
  backend.product(a.tensor(), c.a_op, b.tensor(), c.b_op, result.tensor(), c.write,
                  c.has_bias ? bias.tensor() : Tensor());
  backend.product(a64.tensor(), c.a_op, b64.tensor(), c.b_op, result64.tensor(), c.write,
                  c.has_bias ? bias64.tensor() : Tensor());
  CHECK(largest_difference(result.data, result64.data) < 1e-6 * static_cast<double>(c.k + 1));
  return result.data;
}

// Returns whether products of bfloat16 are fast; if not, checks the reason, and nothing is guaranteed about them.
bool has_products(const Backend& backend) {
  const std::string reason = backend.bfloat16_products();
  if (reason.empty()) return true;
  CHECK(reason.find("this processor") != std::string::npos);
  return false;
}

TEST_CASE("numbers become bfloat16 by rounding to the nearest, ties to even") {
  const auto backend = make_cpu_backend();
  for (const std::int64_t count : {0, 1, 31, 32, 1000}) {
    Host<float> from({count}, 1);
    RoundedHost to{.data = std::vector<BFloat16>(static_cast<std::size_t>(count)), .shape = from.shape};
    backend->convert(from.tensor(), to.tensor());
    for (std::size_t i = 0; i < from.data.size(); ++i) {
      REQUIRE(to.data[i].bits == narrowed<BFloat16>(from.data[i]).bits);
    }
  }
  const float infinity = std::numeric_limits<float>::infinity();
  Host<float> from = Host<float>::of({5}, {1 + 0x1p-8F, 1 + 0x3p-8F, infinity, std::numeric_limits<float>::max(), 0});
  from.data[4] = std::numeric_limits<float>::quiet_NaN();
  RoundedHost to{.data = std::vector<BFloat16>(5), .shape = {5}};
  backend->convert(from.tensor(), to.tensor());
  CHECK(widened(to.data[0]) == 1);
  CHECK(widened(to.data[1]) == 1 + 0x1p-6F);
  CHECK(widened(to.data[2]) == infinity);
  CHECK(widened(to.data[3]) == infinity);
  CHECK(std::isnan(widened(to.data[4])));
}

constexpr Activation kActivations[] = {Activation::relu, Activation::tanh, Activation::gelu, Activation::gelu_tanh,
                                       Activation::sigmoid};

TEST_CASE("activations and their gradients of bfloat16 are those of float32, rounded") {
  const auto backend = make_cpu_backend();
  for (const Activation activation : kActivations) {
    for (const std::int64_t count : {0, 1, 17, 513}) {
      CAPTURE(activation);
      CAPTURE(count);
      Host<float> x({count}, 1);
      for (float& value : x.data) value *= 4;
      Host<float> dy({count}, 2);
      Host<float> y({count});
      Host<float> dx({count});
      backend->activate(activation, x.tensor(), y.tensor());
      backend->activate_backward(activation, x.tensor(), y.tensor(), dy.tensor(), dx.tensor());
      RoundedHost to{.data = std::vector<BFloat16>(x.data.size()), .shape = x.shape};
      backend->activate(activation, x.tensor(), to.tensor());
      for (std::size_t i = 0; i < y.data.size(); ++i) {
        REQUIRE(to.data[i].bits == narrowed<BFloat16>(y.data[i]).bits);
      }
      backend->activate_backward(activation, x.tensor(), y.tensor(), dy.tensor(), to.tensor());
      for (std::size_t i = 0; i < dx.data.size(); ++i) {
        REQUIRE(to.data[i].bits == narrowed<BFloat16>(dx.data[i]).bits);
      }
    }
  }
}

TEST_CASE("gradients of activations need no output of float32 but for tanh and sigmoid, which refuse another") {
  const auto backend = make_cpu_backend();
  Host<float> x({5}, 1);
  Host<float> dy({5}, 2);
  Host<float> y({5});
  Host<float> dx({5});
  Host<float> same({5});
  RoundedHost rounded_y{.data = std::vector<BFloat16>(5), .shape = x.shape};
  for (const Activation activation : kActivations) {
    backend->activate(activation, x.tensor(), y.tensor());
    backend->activate(activation, x.tensor(), rounded_y.tensor());
    backend->activate_backward(activation, x.tensor(), y.tensor(), dy.tensor(), dx.tensor());
    const auto run = [&] {
      backend->activate_backward(activation, x.tensor(), rounded_y.tensor(), dy.tensor(), same.tensor());
    };
    if (activation == Activation::tanh || activation == Activation::sigmoid) {
      CHECK_THROWS_AS(run(), Error);
    } else {
      run();
      CHECK(same.data == dx.data);
    }
  }
}

TEST_CASE("sums of rows of bfloat16 are those of the same numbers in float32, row after row") {
  const auto backend = make_cpu_backend();
  for (const std::int64_t rows : {0, 1, 3, 4, 5, 31}) {
    for (const std::int64_t columns : {1, 17, 513}) {
      Host<float> matrix({rows, columns}, 1);
      RoundedHost narrow = rounded(matrix);
      Host<float> wide({rows, columns});
      for (std::size_t i = 0; i < wide.data.size(); ++i) wide.data[i] = widened(narrow.data[i]);
      Host<float> sums({columns});
      Host<float> of_wide({columns});
      std::vector<float> expected(static_cast<std::size_t>(columns), 0.0F);
      for (std::size_t i = 0; i < wide.data.size(); ++i) {
        expected[i % static_cast<std::size_t>(columns)] += wide.data[i];
      }
      backend->sum_rows(narrow.tensor(), sums.tensor());
      backend->sum_rows(wide.tensor(), of_wide.tensor());
      CHECK(sums.data == expected);
      CHECK(of_wide.data == expected);
    }
  }
}

TEST_CASE("products of bfloat16 of all transpositions and odd sizes agree with float64 on the same numbers") {
  const auto backend = make_cpu_backend();
  if (!has_products(*backend)) return;
  for (const Case& size : {Case{1, 1, 1},
                           {3, 5, 7},
                           {17, 33, 65},
                           {128, 10, 511},
                           {5, 31, 512},
                           {2, 3, 513},
                           {65, 1, 2},
                           {5, 3, 0},
                           {0, 3, 5},
                           {5, 0, 3}}) {
    for (const Transpose a_op : {Transpose::no, Transpose::yes}) {
      for (const Transpose b_op : {Transpose::no, Transpose::yes}) {
        check_product(*backend, {size.m, size.n, size.k, a_op, b_op});
        check_product(*backend, {size.m, size.n, size.k, a_op, b_op, Write::add});
        check_product(*backend, {size.m, size.n, size.k, a_op, b_op, Write::replace, true});
      }
    }
  }
}

TEST_CASE("products of bfloat16 are the same bits each time, however many shapes come and go") {
  const auto backend = make_cpu_backend();
  if (!has_products(*backend)) return;
  const std::vector<float> first = check_product(*backend, {33, 65, 129});
  for (std::int64_t n = 1; n <= 140; ++n) check_product(*backend, {4, n, 9});  // more shapes than are kept
  CHECK(check_product(*backend, {33, 65, 129}) == first);
}

TEST_CASE("a product of one matrix of bfloat16 is refused") {
  const auto backend = make_cpu_backend();
  Host<float> a({2, 3}, 1);
  Host<float> b({3, 2}, 2);
  Host<float> c({2, 2});
  auto a16 = rounded(a);
  auto b16 = rounded(b);
  const auto run = [&](const Tensor& left, const Tensor& right) {
    backend->product(left, Transpose::no, right, Transpose::no, c.tensor(), Write::replace, {});
  };
  CHECK_THROWS_AS(run(a16.tensor(), b.tensor()), Error);
  CHECK_THROWS_AS(run(a.tensor(), b16.tensor()), Error);
}

}  // namespace
}  // namespace lockstep
