#include "collective/gradient_accumulator.h"

#include <doctest/doctest.h>

#include <array>

namespace lockstep {
namespace {

constexpr std::int64_t kCount = 37;

// Gradient of an element in a share, in eighths, so that sums are exact.
float gradient(int share, std::int64_t at) {
  return static_cast<float>(at) + 0.125F * static_cast<float>(share * share);
}

TEST_CASE("the last share's ranges hold the sum over all shares, step after step") {
  const auto backend = make_backend({});
  for (const int shares : {1, 2, 3, 5}) {
    CAPTURE(shares);
    std::array<float, kCount> memory{};
    GradientAccumulator accumulator(*backend, Tensor(memory.data(), DType::float32, {kCount}), shares);
    for (int step = 0; step < 2; ++step) {
      for (int share = 0; share < shares; ++share) {
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = gradient(share, static_cast<std::int64_t>(i));
        for (const FlatRange range : {FlatRange{20, kCount}, FlatRange{20, 20}, FlatRange{1, 20}, FlatRange{0, 1}}) {
          accumulator.add(share, range);
        }
        accumulator.add(share, {0, 0});  // as the first layer, if it has no variables
      }
      for (std::size_t i = 0; i < memory.size(); ++i) {
        float sum = 0;
        for (int share = 0; share < shares; ++share) sum += gradient(share, static_cast<std::int64_t>(i));
        CHECK(memory[i] == sum);
      }
    }
  }
}

TEST_CASE("a store without variables has nothing to add up") {
  const auto backend = make_backend({});
  GradientAccumulator accumulator(*backend, Tensor(nullptr, DType::float32, {0}), 2);
  for (int share = 0; share < 2; ++share) CHECK_NOTHROW(accumulator.add(share, {0, 0}));
}

}  // namespace
}  // namespace lockstep
