#include "train/schedule/predict/most_probable.h"

#include <doctest/doctest.h>

#include <vector>

namespace lockstep {
namespace {

using Classes = std::vector<std::int32_t>;
using Floats = std::vector<float>;

struct Top {
  Classes classes{};
  Floats probabilities{};
  bool operator==(const Top&) const = default;
};

Top top_of(const Floats& probabilities, std::int32_t predicted, std::size_t count) {
  Top top{.classes = Classes(count), .probabilities = Floats(count)};
  most_probable(probabilities, predicted, top.classes, top.probabilities);
  return top;
}

}  // namespace

TEST_CASE("the most probable classes come in order, of equals the lower number first") {
  const Floats probabilities{0.125F, 0.25F, 0.5F, 0.125F};
  CHECK(top_of(probabilities, 2, 1) == Top{{2}, {0.5F}});
  CHECK(top_of(probabilities, 2, 3) == Top{{2, 1, 0}, {0.5F, 0.25F, 0.125F}});
  CHECK(top_of(probabilities, 2, 4) == Top{{2, 1, 0, 3}, {0.5F, 0.25F, 0.125F, 0.125F}});
  CHECK(top_of({1}, 0, 1) == Top{{0}, {1}});
  CHECK(top_of(probabilities, 2, 0) == Top{});
}

TEST_CASE("the predicted class is the first one, whatever else has the same probability as a float") {
  CHECK(top_of({1, 1, 0.5F, 1}, 3, 3) == Top{{3, 0, 1}, {1, 1, 1}});
}

}  // namespace lockstep
