#include "tensor/cpu/tile_products.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "host_tensor.h"
#include "tensor/cpu/amx_tiles.h"
#include "tensor/cpu/tile_plan.h"
#include "tensor/half_types.h"

namespace lockstep::cpu {
namespace {

constexpr Transpose kBoth[] = {Transpose::no, Transpose::yes};

ProductForm form_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.m = m, .n = n, .k = k, .operands = DType::bfloat16};
}

std::vector<BFloat16> draws(std::int64_t count, std::uint16_t stream) {
  std::vector<BFloat16> values;
  for (const float value : Host<float>({count}, stream).data) values.push_back(narrowed<BFloat16>(value));
  return values;
}

// Returns (columns, rows) of (rows, columns).
std::vector<BFloat16> transposed(const std::vector<BFloat16>& from, std::int64_t rows, std::int64_t columns) {
  std::vector<BFloat16> to(from.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      to[static_cast<std::size_t>(j * rows + i)] = from[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return to;
}

// Memory aligned to a cache line, as tensors have it, between guard values.
class Result {
 public:
  explicit Result(std::int64_t count)
      : count_(count), buffer_(allocator_.allocate(static_cast<std::size_t>(count + 2 * kGuard) * sizeof(float))) {
    std::fill_n(whole(), count + 2 * kGuard, kUntouched);
    const Host<float> draws({count}, 3);
    std::copy_n(draws.data.data(), count, data());
  }
  float* data() const { return whole() + kGuard; }
  std::vector<float> values() const { return {data(), data() + count_}; }
  bool is_guarded() const {
    for (std::int64_t i = 0; i < kGuard; ++i) {
      if (whole()[i] != kUntouched || data()[count_ + i] != kUntouched) return false;
    }
    return true;
  }

 private:
  static constexpr std::int64_t kGuard = 1024;
  static constexpr float kUntouched = 12345;
  float* whole() const { return static_cast<float*>(buffer_.data()); }

  std::int64_t count_;
  HostAllocator allocator_;
  Buffer buffer_;
};

// The same product in any form: of a (m, k) and b (k, n), stored as the form says.
struct Product {
  explicit Product(const ProductForm& of)
      : form(of), a(draws(of.m * of.k, 1)), b(draws(of.k * of.n, 2)), bias({of.n}, 4), c(of.m * of.n) {}

  template <class Products>
  std::vector<float> run(Products& products) {
    const auto stored_a = form.a_op == Transpose::yes ? transposed(a, form.m, form.k) : a;
    const auto stored_b = form.b_op == Transpose::yes ? transposed(b, form.k, form.n) : b;
    products.run(form, stored_a.data(), stored_b.data(), form.has_bias ? bias.data.data() : nullptr, c.data());
    CHECK(c.is_guarded());
    return c.values();
  }

  ProductForm form;
  std::vector<BFloat16> a, b;
  Host<float> bias;
  Result c;
};

// Sums of N terms in float32, in any order, are off by at most N * 2^-24 of the sum of their magnitudes (Higham,
// "Accuracy and stability of numerical algorithms", section 4.2), except for second-order terms, for which N is
// increased by two; products of bfloat16 are exact.
void check_values(const Product& product, const std::vector<float>& before, const std::vector<float>& result) {
  const ProductForm& f = product.form;
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < f.m; ++i) {
    for (std::int64_t j = 0; j < f.n; ++j) {
      const auto place = static_cast<std::size_t>(i * f.n + j);
      double sum = f.has_bias ? product.bias.data[static_cast<std::size_t>(j)] : 0;
      if (f.write == Write::add) sum += before[place];
      double size = std::abs(sum);
      for (std::int64_t l = 0; l < f.k; ++l) {
        const double term = static_cast<double>(widened(product.a[static_cast<std::size_t>(i * f.k + l)])) *
                            static_cast<double>(widened(product.b[static_cast<std::size_t>(l * f.n + j)]));
        sum += term;
        size += std::abs(term);
      }
      const double bound = static_cast<double>(f.k + 3) * 0x1p-24 * size;
      wrong += std::abs(static_cast<double>(result[place]) - sum) <= bound ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

template <class Products>
void check_product(Products& products, const ProductForm& form) {
  CAPTURE(form.m);
  CAPTURE(form.n);
  CAPTURE(form.k);
  CAPTURE(form.a_op);
  CAPTURE(form.b_op);
  CAPTURE(form.write);
  CAPTURE(form.has_bias);
  Product product(form);
  const std::vector<float> before = product.c.values();
  check_values(product, before, product.run(products));
}

template <class Products>
void check_all_forms(Products& products, ProductForm form) {
  for (const Transpose a_op : kBoth) {
    for (const Transpose b_op : kBoth) {
      form.a_op = a_op;
      form.b_op = b_op;
      check_product(products, form);
      form.write = Write::add;
      check_product(products, form);
      form.write = Write::replace;
      form.has_bias = true;
      check_product(products, form);
      form.has_bias = false;
    }
  }
}

TEST_CASE("panels, bands and strips of a product are whole blocks, fit their caches and differ little in size") {
  for (const std::int64_t n : {1, 31, 32, 33, 512, 1000, 1025, 8192}) {
    for (const std::int64_t k : {1, 32, 33, 511, 512, 513, 784, 2048, 8191}) {
      for (const Transpose a_op : kBoth) {
        CAPTURE(n);
        CAPTURE(k);
        ProductForm form = form_of(70, n, k);
        form.a_op = a_op;
        const TilePlan plan(form);
        CHECK(plan.panel_n % kBlockSide == 0);
        CHECK(plan.panel_k % kTileK == 0);
        CHECK(plan.panel_k <= TilePlan::kPanelK);
        CHECK(plan.panel_bytes() <= TilePlan::kPanelBytes);
        CHECK(plan.band_m == (a_op == Transpose::yes ? 96 : 32));
        const std::int64_t panels = (k + plan.panel_k - 1) / plan.panel_k;
        CHECK(panels == (k + TilePlan::kPanelK - 1) / TilePlan::kPanelK);
        CHECK(panels * plan.panel_k < k + panels * kTileK);
      }
    }
  }
}

TEST_CASE("a large result that is written once goes past the caches, if its rows begin at cache lines") {
  CHECK(TilePlan(form_of(2048, 2048, 512)).is_streamed);
  CHECK_FALSE(TilePlan(form_of(2048, 512, 512)).is_streamed);
  CHECK_FALSE(TilePlan(form_of(2048, 2048, 513)).is_streamed);
  CHECK_FALSE(TilePlan(form_of(2048, 2047, 512)).is_streamed);
  ProductForm sum = form_of(2048, 2048, 512);
  sum.write = Write::add;
  CHECK_FALSE(TilePlan(sum).is_streamed);
}

TEST_CASE("whether this processor has products of tiles") {
  if (!has_bfloat16_tiles()) MESSAGE("no amx_bf16 here: products of tiles are not tested");
}

TEST_SUITE("products of tiles" * doctest::skip(!has_bfloat16_tiles())) {
  TEST_CASE("they agree with float64 on the same numbers, in all forms, at sizes around those of tiles and blocks") {
    TileProducts products;
    for (const std::int64_t m : {1, 16, 17, 33}) {
      for (const std::int64_t n : {1, 15, 32, 65}) {
        for (const std::int64_t k : {1, 2, 31, 32, 67}) check_all_forms(products, form_of(m, n, k));
      }
    }
  }

  TEST_CASE("they agree with float64 where there are several panels, bands and strips") {
    TileProducts products;
    check_all_forms(products, form_of(3, 1111, 45));
    check_all_forms(products, form_of(290, 34, 1055));
    check_all_forms(products, form_of(37, 1100, 513));
  }

  TEST_CASE("they agree with float64 where the result goes past the caches, blocks that are not whole included") {
    TileProducts products;
    for (const std::int64_t k : {5, 100}) {
      ProductForm form = form_of(1030, 1040, k);
      REQUIRE(TilePlan(form).is_streamed);
      check_product(products, form);
      form.has_bias = true;
      check_product(products, form);
    }
  }

  TEST_CASE("they are the same bits each time, wherever the matrices lie") {
    TileProducts products;
    for (const ProductForm& form : {form_of(1030, 1040, 40), form_of(65, 67, 600)}) {
      const std::vector<float> first = Product(form).run(products);
      CHECK(Product(form).run(products) == first);
      Product shifted(form);
      std::vector<float> c(first.size() + 1);
      products.run(form, shifted.a.data(), shifted.b.data(), nullptr, c.data() + 1);
      CHECK(std::vector<float>(c.begin() + 1, c.end()) == first);
    }
  }

  TEST_CASE("the bits of a row do not depend on how many there are") {
    TileProducts products;
    const std::int64_t n = 1040;
    for (const std::int64_t k : {40, 700}) {
      const std::vector<float> all = Product(form_of(1030, n, k)).run(products);
      for (const std::int64_t m : {1, 16, 33, 500}) {
        const std::vector<float> some = Product(form_of(m, n, k)).run(products);
        CHECK(std::equal(some.begin(), some.end(), all.begin()));
      }
    }
  }

  TEST_CASE("infinite and NaN factors reach the sums that have them, and no others") {
    TileProducts products;
    Product product(form_of(18, 35, 33));
    product.a[32] = narrowed<BFloat16>(std::numeric_limits<float>::infinity());
    product.b[34] = narrowed<BFloat16>(std::numeric_limits<float>::quiet_NaN());
    const std::vector<float> c = product.run(products);
    for (std::size_t i = 0; i < c.size(); ++i) {
      CAPTURE(i);
      CHECK(std::isfinite(c[i]) == (i >= 35 && i % 35 != 34));
    }
  }

  // On other processors this is the product that CpuBackend uses.
  TEST_CASE("oneDNN's product of the same numbers agrees with float64 as well") {
    MatmulProducts products;
    check_all_forms(products, form_of(17, 33, 67));
    check_all_forms(products, form_of(65, 10, 513));
  }
}

}  // namespace
}  // namespace lockstep::cpu
