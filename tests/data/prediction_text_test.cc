#include "data/prediction_text.h"

#include <doctest/doctest.h>

#include <vector>

namespace lockstep {
namespace {

using Floats = std::vector<float>;

std::string text_of(const PredictionForm& form, std::int64_t first, const std::vector<std::int32_t>& classes,
                    const Floats& values) {
  std::string text;
  append_predictions(form, {.first = first, .classes = classes, .values = values}, text);
  return text;
}

}  // namespace

TEST_CASE("classes with the probability of the one that is predicted") {
  const PredictionForm form{.target = ProblemShape::Target::class_label, .samples = 3, .outputs = 2};
  CHECK(prediction_header(form) == "sample,prediction,probability\n");
  CHECK(text_of(form, 9, {1, 0}, {0.25F, 0.75F, 1.0F, 0.0F}) == "9,1,0.75\n10,0,1\n");
}

TEST_CASE("numbers, one or more of a sample, with the digits that read back as the same float") {
  PredictionForm form{.target = ProblemShape::Target::real, .samples = 2, .outputs = 1};
  CHECK(prediction_header(form) == "sample,prediction\n");
  CHECK(text_of(form, 0, {}, {0.1F, -16777216.0F}) == "0,0.1\n1,-16777216\n");
  CHECK(text_of(form, 5, {}, {1.17549435e-38F}) == "5,1.1754944e-38\n");
  form.outputs = 3;
  CHECK(prediction_header(form) == "sample,prediction_0,prediction_1,prediction_2\n");
  CHECK(text_of(form, 1000000, {}, {1, 2, 3.5F}) == "1000000,1,2,3.5\n");
}

TEST_CASE("no rows make no lines") {
  const PredictionForm form{.target = ProblemShape::Target::real, .samples = 2, .outputs = 1};
  CHECK(text_of(form, 2, {}, {}).empty());
}

}  // namespace lockstep
