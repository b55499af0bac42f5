#include "data/predictions/prediction_text.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>
#include <limits>
#include <sstream>
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

TEST_CASE("of sequences a line for each symbol, with its target and the loss") {
  const PredictionForm form{.samples = 3, .outputs = 40, .sequences = true, .symbols = 3};
  CHECK(prediction_header(form) == "sample,position,prediction,probability,target,loss\n");
  const std::vector<std::int32_t> classes{7, 2, 39}, targets{7, 0, 1}, lengths{2, 0, 1};
  const Floats values{0.75F, 0.5F, 1}, losses{0.25F, 0, 104.5F};
  std::string text;
  append_predictions(
      form,
      {.first = 5, .classes = classes, .values = values, .targets = targets, .losses = losses, .lengths = lengths},
      text);
  CHECK(text == "5,0,7,0.75,7,0.25\n5,1,2,0.5,0,0\n7,0,39,1,1,104.5\n");
}

TEST_CASE("the most probable classes come after the prediction") {
  const PredictionForm form{.target = ProblemShape::Target::class_label, .samples = 2, .outputs = 3, .top = 2};
  CHECK(prediction_header(form) == "sample,prediction,probability,top_1,top_1_probability,top_2,top_2_probability\n");
  const std::vector<std::int32_t> classes{1, 0}, top{1, 2, 0, 1};
  const Floats values{0, 0.75F, 0.25F, 0.5F, 0.375F, 0.125F}, top_probabilities{0.75F, 0.25F, 0.5F, 0.375F};
  std::string text;
  append_predictions(
      form, {.first = 9, .classes = classes, .values = values, .top = top, .top_probabilities = top_probabilities},
      text);
  CHECK(text == "9,1,0.75,1,0.75,2,0.25\n10,0,0.5,0,0.5,1,0.375\n");
}

TEST_CASE("symbols have their texts behind all numbers, a record a line and a comma within quotes") {
  PredictionForm form{.samples = 2, .outputs = 5, .sequences = true, .symbols = 2, .texts = true};
  CHECK(prediction_header(form) == "sample,position,prediction,probability,target,loss,prediction_text,target_text\n");
  const std::vector<std::int32_t> classes{2, 4}, targets{3, 0}, lengths{2}, top{2, 3, 4, 1};
  const Floats values{0.75F, 0.5F}, losses{0.25F, 0}, top_probabilities{0.75F, 0.25F, 0.5F, 0.375F};
  const PredictionRows rows{.first = 5,
                            .classes = classes,
                            .values = values,
                            .targets = targets,
                            .losses = losses,
                            .lengths = lengths,
                            .top = top,
                            .top_probabilities = top_probabilities};
  const std::vector<std::string> fields = text_fields({.texts = {"<pad>", "<end>", "\n", ",", "\""}});
  std::string text;
  append_predictions(form, rows, text, fields);
  CHECK(text == "5,0,2,0.75,3,0.25,\\n,\",\"\n5,1,4,0.5,0,0,\"\"\"\",<pad>\n");
  form.top = 2;
  CHECK(prediction_header(form) ==
        "sample,position,prediction,probability,target,loss,top_1,top_1_probability,top_2,top_2_probability,"
        "prediction_text,target_text,top_1_text,top_2_text\n");
  text.clear();
  append_predictions(form, rows, text, fields);
  CHECK(text ==
        "5,0,2,0.75,3,0.25,2,0.75,3,0.25,\\n,\",\",\\n,\",\"\n"
        "5,1,4,0.5,0,0,4,0.5,1,0.375,\"\"\"\",<pad>,\"\"\"\",<end>\n");
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

TEST_CASE("the longest numbers have room, and each reads back as the same float") {
  const Floats values{-std::numeric_limits<float>::max(),
                      std::numeric_limits<float>::denorm_min(),
                      -1.17549435e-38F,
                      -9007199254740992.0F,
                      -0.000123456791F,
                      -0.0F};
  const PredictionForm form{.target = ProblemShape::Target::real, .samples = 1, .outputs = std::ssize(values)};
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  CHECK(text_of(form, last, {}, values) ==
        "9223372036854775807,-3.4028235e+38,1e-45,-1.1754944e-38,-9007199000000000,-0.00012345679,-0\n");
  std::istringstream text(text_of(form, 0, {}, values));
  std::string column;
  std::getline(text, column, ',');
  for (const float value : values) {
    std::getline(text, column, ',');
    CHECK(std::bit_cast<std::uint32_t>(std::strtof(column.c_str(), nullptr)) == std::bit_cast<std::uint32_t>(value));
  }
  const PredictionForm classes{.target = ProblemShape::Target::class_label, .samples = 1, .outputs = 2};
  CHECK(text_of(classes, last, {1}, {0, 1.17549435e-38F}) == "9223372036854775807,1,1.1754944e-38\n");
}

TEST_CASE("no rows make no lines") {
  const PredictionForm form{.target = ProblemShape::Target::real, .samples = 2, .outputs = 1};
  CHECK(text_of(form, 2, {}, {}).empty());
}

}  // namespace lockstep
