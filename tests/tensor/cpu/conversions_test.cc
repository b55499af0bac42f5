#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "host_tensor.h"
#include "tensor/cpu/cpu_backend.h"
#include "tensor/half_types.h"

namespace lockstep {
namespace {

// The number of halves.
constexpr std::int64_t kAll = 0x10000;

template <class Half>
void check_conversions() {
  const auto backend = make_cpu_backend();
  std::vector<Half> halves(kAll);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i].bits = static_cast<std::uint16_t>(i);
  std::vector<float> floats(kAll);
  std::vector<Half> back(kAll);
  const Tensor wide(floats.data(), DType::float32, {kAll});
  backend->convert({halves.data(), dtype_of<Half>(), {kAll}}, wide);
  backend->convert(wide, {back.data(), dtype_of<Half>(), {kAll}});
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const float expected = widened(halves[i]);
    wrong += std::memcmp(&floats[i], &expected, sizeof(float)) == 0 ? 0 : 1;
    wrong += back[i].bits == narrowed<Half>(expected).bits ? 0 : 1;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("conversions of many values agree with those of single ones, for all of a 16-bit type") {
  check_conversions<BFloat16>();
  check_conversions<Float16>();
}

TEST_CASE("what there is no conversion of is refused") {
  const auto backend = make_cpu_backend();
  Host<float> three({3});
  Host<float> four({4});
  Host<double> doubles({3});
  std::vector<BFloat16> halves(3);
  const Tensor half(halves.data(), DType::bfloat16, {3});
  CHECK_THROWS_AS(backend->convert(three.tensor(), three.tensor()), Error);
  CHECK_THROWS_AS(backend->convert(four.tensor(), half), Error);
  CHECK_THROWS_AS(backend->convert(doubles.tensor(), half), Error);
  CHECK_THROWS_AS(backend->convert(half, half), Error);
}

}  // namespace lockstep
