#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/cuda/gpu_under_test.h"

namespace lockstep {
namespace {

enum class Occurrences { even, skewed, one_number, once };

Host<std::int32_t> ids_of(Occurrences kind, std::int64_t count, std::int64_t rows) {
  Host<std::int32_t> ids({count});
  const RandomStream random{.purpose = Purpose::initial_value, .stream = 9};
  for (std::int64_t i = 0; i < count; ++i) {
    const double draw = static_cast<double>(uniform_float(random.block(static_cast<std::uint32_t>(i))[0]));
    const auto last = static_cast<double>(rows - 1);
    std::int64_t id = i % rows;
    if (kind == Occurrences::even) id = static_cast<std::int64_t>(draw * static_cast<double>(rows));
    if (kind == Occurrences::skewed) id = static_cast<std::int64_t>(last * std::pow(draw, 8));
    if (kind == Occurrences::one_number) id = rows - 1;
    ids.data[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(id);
  }
  return ids;
}

struct Case {
  std::int64_t rows, width, count;
  Occurrences kind = Occurrences::even;
};
constexpr Case kCases[] = {
    {4, 3, 5},
    {1, 1, 1},
    {7, 1, 32},
    {7, 33, 33, Occurrences::skewed},
    {50'000, 5, 700},
    {300, 130, 257, Occurrences::once},
    {100, 8, 2048, Occurrences::skewed},
    {1000, 3, 2049},
    {1000, 2, 9000, Occurrences::skewed},  // more than four tiles of keys
    {3, 2, 3000, Occurrences::one_number},
};
constexpr EmbeddingForm kForms[] = {{}, {.factor = 3}, {.factor = 0.7, .zero_id = 2}};

TEST_CASE("rows of the table are picked, multiplied, added or left out as on the CPU") {
  const auto cpu = make_cpu_backend();
  on_gpu([&](Backend& backend) {
    for (const Case& c : kCases) {
      for (const EmbeddingForm& form : kForms) {
        CAPTURE(c.rows);
        CAPTURE(c.count);
        Host<float> table({c.rows, c.width}, 1);
        Host<std::int32_t> ids = ids_of(c.kind, c.count, c.rows);
        const OnGpu<float> table_there(backend, table);
        const OnGpu<std::int32_t> ids_there(backend, ids);
        Host<float> expected({c.count, c.width});
        const OnGpu<float> y(backend, expected.shape);
        cpu->embed(form, table.tensor(), ids.tensor(), expected.tensor(), Write::replace);
        backend.embed(form, table_there.tensor, ids_there.tensor, y.tensor, Write::replace);
        CHECK(y.read() == expected.data);
        cpu->embed(form, table.tensor(), ids.tensor(), expected.tensor(), Write::add);
        backend.embed(form, table_there.tensor, ids_there.tensor, y.tensor, Write::add);
        CHECK(largest_difference(y.read(), doubled(expected).data) <
              4e-7);  // numbers below 6, a product rounded or not
      }
    }
  });
}

// Expected sum of gradients for each row, in float64, and the number of terms.
struct Gradient {
  std::vector<double> sums;
  std::vector<int> terms;
};

Gradient reference(const EmbeddingForm& form, const Case& c, const Host<std::int32_t>& ids, const Host<float>& dy,
                   const Host<float>* before) {
  const auto size = static_cast<std::size_t>(c.rows * c.width);
  Gradient gradient{std::vector<double>(size), std::vector<int>(size)};
  if (before != nullptr) gradient.sums.assign(before->data.begin(), before->data.end());
  for (std::size_t k = 0; k < dy.data.size(); ++k) {
    const std::int64_t id = ids.data[k / static_cast<std::size_t>(c.width)];
    if (id == form.zero_id) continue;
    const std::size_t at = static_cast<std::size_t>(id * c.width) + k % static_cast<std::size_t>(c.width);
    gradient.sums[at] += form.factor * static_cast<double>(dy.data[k]);
    ++gradient.terms[at];
  }
  return gradient;
}

// For n terms below 3 each addition has an error of at most 2^-24 of a partial sum. With terms of either sign partial
// sums grow as the root of n, and errors also cancel: the bound is far above both. Returns the largest fraction of the
// bound that is used.
double largest_share(const std::vector<float>& result, const Gradient& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < expected.sums.size(); ++i) {
    const double terms = expected.terms[i] + 1.0;
    const double error = std::abs(static_cast<double>(result[i]) - expected.sums[i]);
    if (std::isnan(error)) return error;
    largest = std::max(largest, error / (0x1p-24 * 3 * terms * std::sqrt(terms)));
  }
  return largest;
}

TEST_CASE("a table's gradient adds up what came back for each of its rows, however often a number occurs") {
  on_gpu([](Backend& backend) {
    for (const Case& c : kCases) {
      for (const EmbeddingForm& form : kForms) {
        CAPTURE(c.rows);
        CAPTURE(c.count);
        const Host<std::int32_t> ids = ids_of(c.kind, c.count, c.rows);
        const Host<float> dy({c.count, c.width}, 2);
        const Host<float> before({c.rows, c.width}, 3);
        const OnGpu<std::int32_t> ids_there(backend, ids);
        const OnGpu<float> dy_there(backend, dy);
        const OnGpu<float> replaced(backend, before.shape);
        const OnGpu<float> added(backend, before);
        backend.embed_backward(form, ids_there.tensor, dy_there.tensor, replaced.tensor, Write::replace);
        backend.embed_backward(form, ids_there.tensor, dy_there.tensor, added.tensor, Write::add);
        CHECK(largest_share(replaced.read(), reference(form, c, ids, dy, nullptr)) < 1);
        CHECK(largest_share(added.read(), reference(form, c, ids, dy, &before)) < 1);
      }
    }
  });
}

// Numbers of a few bits, so that sums are exact.
TEST_CASE("no occurrence is lost or counted twice") {
  on_gpu([](Backend& backend) {
    for (const Case& c : kCases) {
      CAPTURE(c.rows);
      CAPTURE(c.count);
      const Host<std::int32_t> ids = ids_of(c.kind, c.count, c.rows);
      Host<float> dy({c.count, c.width}, 2);
      for (float& value : dy.data) value = std::round(value * 64);
      const OnGpu<std::int32_t> ids_there(backend, ids);
      const OnGpu<float> dy_there(backend, dy);
      const OnGpu<float> dtable(backend, Shape{c.rows, c.width});
      backend.embed_backward({}, ids_there.tensor, dy_there.tensor, dtable.tensor, Write::replace);
      const Gradient expected = reference({}, c, ids, dy, nullptr);
      CHECK(largest_difference(dtable.read(), expected.sums) == 0);
    }
  });
}

TEST_CASE("a table's gradient is the same bits each time") {
  std::vector<std::vector<float>> results;
  on_gpu([&](Backend& backend) {
    const Case c{.rows = 1000, .width = 2, .count = 9000, .kind = Occurrences::skewed};
    const OnGpu<std::int32_t> ids(backend, ids_of(c.kind, c.count, c.rows));
    const OnGpu<float> dy(backend, Host<float>({c.count, c.width}, 2));
    for (int run = 0; run < 2; ++run) {
      const OnGpu<float> dtable(backend, Shape{c.rows, c.width});
      backend.embed_backward({}, ids.tensor, dy.tensor, dtable.tensor, Write::replace);
      results.push_back(dtable.read());
    }
  });
  for (const auto& result : results) CHECK(result == results.front());
}

TEST_CASE("an embedding of an empty batch has a gradient of zeros") {
  on_gpu([](Backend& backend) {
    const OnGpu<float> dy(backend, Shape{0, 3});
    const OnGpu<float> dtable(backend, Shape{4, 3});
    const Tensor none(nullptr, DType::int32, {0});
    backend.embed({}, dtable.tensor, none, dy.tensor, Write::replace);
    backend.embed_backward({}, none, dy.tensor, dtable.tensor, Write::replace);
    CHECK(dtable.read() == std::vector<float>(12, 0.0F));
  });
}

TEST_CASE("a number outside the table gives a row of NaN, and no gradient; nothing else is touched") {
  on_gpu([](Backend& backend) {
    const OnGpu<float> table(backend, Host<float>::of({2, 2}, {1, 2, 3, 4}));
    const OnGpu<std::int32_t> ids(backend, Host<std::int32_t>::of({4}, {-1, 1, 2, 0}));
    const OnGpu<float> y(backend, Shape{4, 2});
    backend.embed({}, table.tensor, ids.tensor, y.tensor, Write::replace);
    const std::vector<float> rows = y.read();
    for (const std::size_t i : {0, 1, 4, 5}) CHECK(std::isnan(rows[i]));
    CHECK(std::vector<float>(rows.begin() + 2, rows.begin() + 4) == std::vector<float>{3, 4});
    CHECK(std::vector<float>(rows.begin() + 6, rows.end()) == std::vector<float>{1, 2});
    const OnGpu<float> dy(backend, Host<float>::of({4, 2}, {1, 1, 20, 30, 1, 1, 40, 50}));
    const OnGpu<float> dtable(backend, Shape{2, 2});
    backend.embed_backward({}, ids.tensor, dy.tensor, dtable.tensor, Write::replace);
    CHECK(dtable.read() == std::vector<float>{40, 50, 20, 30});
  });
}

TEST_CASE("an embedding of unlike tensors is an internal error") {
  const auto backend = gpu();
  const OnGpu<float> table(*backend, Shape{4, 3});
  const OnGpu<float> narrow(*backend, Shape{5, 2});
  const OnGpu<float> y(*backend, Shape{5, 3});
  const OnGpu<std::int32_t> ids(*backend, Shape{4});
  CHECK_THROWS_AS(backend->embed({}, table.tensor, ids.tensor, y.tensor, Write::replace), Error);
  CHECK_THROWS_AS(backend->embed({}, table.tensor, ids.tensor, narrow.tensor, Write::replace), Error);
  CHECK_THROWS_AS(backend->embed_backward({}, ids.tensor, y.tensor, table.tensor, Write::replace), Error);
  CHECK_THROWS_AS(backend->embed_backward({}, ids.tensor, narrow.tensor, table.tensor, Write::replace), Error);
}

}  // namespace
}  // namespace lockstep
