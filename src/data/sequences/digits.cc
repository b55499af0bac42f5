#include "data/sequences/digits.h"

#include <algorithm>

#include "base/error.h"

namespace lockstep {
namespace {

// Carries the excess of each column to the next ones, and removes leading zeros. REQUIRES: the last column has room for
// the carry.
void carry(std::int32_t base, std::vector<std::int32_t>& columns) {
  std::int32_t carried = 0;
  for (std::int32_t& column : columns) {
    const std::int32_t value = column + carried;
    column = value % base;
    carried = value / base;
  }
  LS_CHECK(carried == 0, "a number is longer than its columns");
  while (columns.size() > 1 && columns.back() == 0) columns.pop_back();
}

}  // namespace

void add_digits(std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::int32_t base,
                std::vector<std::int32_t>& sum) {
  sum.assign(std::max(a.size(), b.size()) + 1, 0);
  std::ranges::copy(a, sum.begin());
  for (std::size_t i = 0; i < b.size(); ++i) sum[i] += b[i];
  carry(base, sum);
}

void multiply_digits(std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::int32_t base,
                     std::vector<std::int32_t>& product) {
  product.assign(a.size() + b.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  carry(base, product);
}

}  // namespace lockstep
