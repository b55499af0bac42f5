#include <doctest/doctest.h>

#include "host_tensor.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

TEST_CASE("an embedding picks rows, and its gradient adds up what came back for each of them") {
  const auto backend = make_cpu_backend();
  Host<float> table({4, 3}, 1);
  std::vector<std::int32_t> ids{2, 0, 2, 3, 2};
  const Tensor id_tensor(ids.data(), DType::int32, {5});
  Host<float> y({5, 3});
  backend->embed({}, table.tensor(), id_tensor, y.tensor(), Write::replace);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(y.data[i * 3 + j] == table.data[static_cast<std::size_t>(ids[i]) * 3 + j]);
    }
  }
  Host<float> dy({5, 3}, 2);
  Host<float> dtable({4, 3}, 3);  // filled with old values
  backend->embed_backward({}, id_tensor, dy.tensor(), dtable.tensor(), Write::replace);
  std::vector<double> expected(12);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      expected[static_cast<std::size_t>(ids[i]) * 3 + j] += static_cast<double>(dy.data[i * 3 + j]);
    }
  }
  CHECK(largest_difference(dtable.data, expected) < 1e-6);
  CHECK(dtable.data[3] == 0);  // row 1 does not occur
}

TEST_CASE("an embedding multiplies by its factor, gives zeros for its zero id, and adds where it is to") {
  const auto backend = make_cpu_backend();
  const EmbeddingForm form{.factor = 3, .zero_id = 2};
  auto table = Host<float>::of({3, 2}, {1, 2, 3, 4, 5, 6});
  std::vector<std::int32_t> ids{2, 0, 1, 0};
  const Tensor id_tensor(ids.data(), DType::int32, {4});
  Host<float> y({4, 2}, 1);
  backend->embed(form, table.tensor(), id_tensor, y.tensor(), Write::replace);
  CHECK(y.data == std::vector<float>{0, 0, 3, 6, 9, 12, 3, 6});
  backend->embed(form, table.tensor(), id_tensor, y.tensor(), Write::add);
  CHECK(y.data == std::vector<float>{0, 0, 6, 12, 18, 24, 6, 12});

  auto dy = Host<float>::of({4, 2}, {1, 1, 2, 3, 4, 5, 6, 7});
  Host<float> dtable({3, 2}, 2);
  backend->embed_backward(form, id_tensor, dy.tensor(), dtable.tensor(), Write::replace);
  CHECK(dtable.data == std::vector<float>{24, 30, 12, 15, 0, 0});
  backend->embed_backward(form, id_tensor, dy.tensor(), dtable.tensor(), Write::add);
  CHECK(dtable.data == std::vector<float>{48, 60, 24, 30, 0, 0});
}

TEST_CASE("an embedding of an empty batch has a gradient of zeros") {
  const auto backend = make_cpu_backend();
  Host<double> dy({0, 3});
  Host<double> dtable({4, 3}, 3);
  const Tensor none(nullptr, DType::int32, {0});
  backend->embed({}, dtable.tensor(), none, dy.tensor(), Write::replace);
  backend->embed_backward({}, none, dy.tensor(), dtable.tensor(), Write::replace);
  CHECK(dtable.data == std::vector<double>(12));
}

TEST_CASE("a number outside the table is refused, not read") {
  const auto backend = make_cpu_backend();
  Host<float> table({4, 3}, 1);
  Host<float> y({1, 3});
  for (std::int32_t id : {-1, 4}) {
    const Tensor one(&id, DType::int32, {1});
    CHECK_THROWS_WITH_AS(backend->embed({}, table.tensor(), one, y.tensor(), Write::replace),
                         doctest::Contains("of a table of 4"), Error);
    CHECK_THROWS_AS(backend->embed_backward({}, one, y.tensor(), table.tensor(), Write::replace), Error);
  }
}

TEST_CASE("columns travel between matrices, the others stay") {
  const auto backend = make_cpu_backend();
  auto from = Host<float>::of({2, 3}, {1, 2, 3, 4, 5, 6});
  auto to = Host<float>::of({2, 4}, std::vector<float>(8));
  backend->copy_columns(from.tensor(), 1, to.tensor(), 2, 2);
  CHECK(to.data == std::vector<float>{0, 0, 2, 3, 0, 0, 5, 6});
  backend->copy_columns(from.tensor(), 0, to.tensor(), 0, 0);
  CHECK(to.data == std::vector<float>{0, 0, 2, 3, 0, 0, 5, 6});
  CHECK_THROWS_WITH_AS(backend->copy_columns(from.tensor(), 2, to.tensor(), 0, 2),
                       doctest::Contains("2 columns from 2 of 3 to 0 of 4"), Error);
  CHECK_THROWS_AS(backend->copy_columns(from.tensor(), 0, to.tensor(), 3, 2), Error);
  Host<float> empty_from({0, 3});
  Host<float> empty_to({0, 4});
  backend->copy_columns(empty_from.tensor(), 0, empty_to.tensor(), 1, 3);
}

TEST_CASE("a blend moves by its weight") {
  const auto backend = make_cpu_backend();
  Host<float> from({37}, 1);
  Host<float> to({37}, 2);
  std::vector<double> expected;
  for (std::size_t i = 0; i < 37; ++i) {
    expected.push_back(0.75 * static_cast<double>(to.data[i]) + 0.25 * static_cast<double>(from.data[i]));
  }
  backend->blend(from.tensor(), to.tensor(), 0.25);
  CHECK(largest_difference(to.data, expected) < 1e-7);
  backend->blend(from.tensor(), to.tensor(), 0);
  CHECK(largest_difference(to.data, expected) < 1e-7);
}

}  // namespace
}  // namespace lockstep
