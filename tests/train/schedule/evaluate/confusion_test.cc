#include "train/schedule/evaluate/confusion.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lockstep {

TEST_CASE("confusion: rows are labels, columns predictions, and classes are measured by them") {
  Confusion confusion(3);
  const std::vector<std::pair<int, int>> samples{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}};
  for (const auto& [label, prediction] : samples) confusion.add(label, prediction);
  const auto row = [&](std::int64_t label) {
    return std::vector<std::int64_t>(confusion.row(label).begin(), confusion.row(label).end());
  };
  CHECK(row(0) == std::vector<std::int64_t>{2, 1, 0});
  CHECK(row(1) == std::vector<std::int64_t>{0, 1, 0});
  CHECK(row(2) == std::vector<std::int64_t>{1, 1, 0});
  const Confusion::OfClass zero = confusion.of_class(0);
  CHECK(zero.samples == 3);
  CHECK(zero.predicted == 3);
  CHECK(zero.correct == 2);
  CHECK(zero.precision() == 2.0 / 3);
  CHECK(zero.recall() == 2.0 / 3);
  CHECK(zero.f1() == 2.0 / 3);
  const Confusion::OfClass one = confusion.of_class(1);
  CHECK(one.precision() == 1.0 / 3);
  CHECK(one.recall() == 1);
  CHECK(one.f1() == 0.5);
}

TEST_CASE("confusion: a share of nothing is no number") {
  Confusion confusion(3);
  confusion.add(2, 0);
  CHECK(std::isnan(confusion.of_class(0).recall()));
  CHECK(confusion.of_class(0).precision() == 0);
  CHECK(std::isnan(confusion.of_class(1).f1()));
  CHECK(std::isnan(confusion.of_class(2).precision()));
  CHECK(confusion.of_class(2).f1() == 0);
}

TEST_CASE("confusion: parts come to the whole, with a matrix and without") {
  for (const std::int64_t classes : {std::int64_t{7}, Confusion::kMaxMatrixClasses, Confusion::kMaxMatrixClasses + 1}) {
    CAPTURE(classes);
    Confusion whole(classes), first(classes), second(classes);
    for (int sample = 0; sample < 1001; ++sample) {
      const auto label = static_cast<std::int32_t>(sample * 5 % classes);
      const auto prediction = static_cast<std::int32_t>(sample * 3 % classes);
      whole.add(label, prediction);
      (sample % 3 == 0 ? first : second).add(label, prediction);
    }
    first.merge(second.counts());
    CHECK(std::ranges::equal(first.counts(), whole.counts()));
    CHECK(whole.has_matrix() == (classes <= Confusion::kMaxMatrixClasses));
  }
}

}  // namespace lockstep
