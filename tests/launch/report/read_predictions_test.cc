#include "launch/report/read_predictions.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <fstream>

#include "data/predictions/prediction_text.h"
#include "support/check_error.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

using Columns = std::vector<PredictionColumn>;

Columns read(const std::string& text, Beginning beginning = Beginning::whole_file) {
  return first_predictions(text, beginning, "p.csv");
}

void check_refused(const std::string& text, const std::string& why) {
  CAPTURE(text);
  check_error(ExitCode::bad_data, {"'p.csv', line ", why}, [&] { read(text); });
}

}  // namespace

TEST_CASE("the first samples come back as they were written, each form of them") {
  const std::vector<float> values{0.1F, 0.9F, 0.75F, 0.25F};
  const std::vector<std::int32_t> classes{1, 0};
  PredictionForm form{.target = ProblemShape::Target::class_label, .samples = 2, .outputs = 2};
  std::string text = prediction_header(form);
  append_predictions(form, {.first = 0, .classes = classes, .values = values}, text);
  const Columns of_classes = read(text);
  REQUIRE(of_classes.size() == 3);
  CHECK(of_classes[0].name == "sample");
  CHECK(of_classes[0].values == std::vector<double>{0, 1});
  CHECK(of_classes[1].values == std::vector<double>{1, 0});
  CHECK(of_classes[2].name == "probability");
  CHECK(of_classes[2].values == std::vector<double>{0.9, 0.75});

  const std::vector<std::int32_t> lengths{1, 1};
  const std::vector<float> two{0.1F, 0.9F};
  form = {.samples = 2, .outputs = 40, .sequences = true, .symbols = 2};
  text = prediction_header(form);
  append_predictions(
      form, {.first = 0, .classes = classes, .values = two, .targets = classes, .losses = two, .lengths = lengths},
      text);
  const Columns of_symbols = read(text);
  REQUIRE(of_symbols.size() == 6);
  CHECK(of_symbols[1].name == "position");
  CHECK(of_symbols[2].values == std::vector<double>{1, 0});
  CHECK(of_symbols[5].values == std::vector<double>{0.1, 0.9});

  form = {.samples = 2, .outputs = 3, .sequences = true, .symbols = 2, .top = 2, .texts = true};
  text = prediction_header(form);
  const std::vector<std::int32_t> top{1, 2, 0, 2};
  append_predictions(form,
                     {.first = 0,
                      .classes = classes,
                      .values = two,
                      .targets = classes,
                      .losses = two,
                      .lengths = lengths,
                      .top = top,
                      .top_probabilities = values},
                     text, text_fields({.texts = {",", "\"\n", "<b>"}}));
  const Columns of_texts = read(text);
  REQUIRE(of_texts.size() == 14);
  CHECK(of_texts[6].name == "top_1");
  CHECK(of_texts[9].values == std::vector<double>{0.9, 0.25});
  CHECK(of_texts[10].name == "prediction_text");
  CHECK(of_texts[10].texts == std::vector<std::string>{"\"\\n", ","});
  CHECK(of_texts[13].texts == std::vector<std::string>{"<b>", "<b>"});
  CHECK(of_texts[13].values.empty());

  for (const std::int64_t outputs : {1, 2, 4}) {
    form = {.target = ProblemShape::Target::real, .samples = 4 / outputs, .outputs = outputs};
    text = prediction_header(form);
    append_predictions(form, {.first = 0, .classes = {}, .values = values}, text);
    const Columns of_numbers = read(text);
    REQUIRE(std::ssize(of_numbers) == 1 + outputs);
    CHECK(std::ssize(of_numbers[0].values) == 4 / outputs);
    CHECK(of_numbers.back().values.back() == 0.25);
  }
}

TEST_CASE("no more than the beginning of a large file is read") {
  const TemporaryFolder folder;
  const std::string path = folder / "predictions.csv";
  {
    std::ofstream file(path);
    file << "sample,prediction\n";
    for (int sample = 0; sample < 200'000; ++sample) file << sample << ",0.5\n";
    file << "no numbers\n";
  }
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);  // nobody has this in memory
  const Columns columns = first_predictions(path);
  REQUIRE(columns.size() == 2);
  CHECK(columns[0].values.size() == kPredictionsShown);
  CHECK(columns[0].values.back() == kPredictionsShown - 1);
  CHECK(first_predictions(folder / "none.csv").empty());
}

TEST_CASE("of lines so long that few are in the beginning, those count that are whole") {
  const std::string text = "sample,prediction\n0,1.5\n1,2.";
  CHECK(read(text, Beginning::cut)[0].values == std::vector<double>{0});
  CHECK(read("sample,prediction\n", Beginning::cut)[0].values.empty());
  check_refused(text, "3: it is cut off");
}

TEST_CASE("what is damaged is refused, with its line") {
  for (const char* const header : {"", "sample", "sample\n0\n", "a,b\n", "sample,prediction", "sample,prediction_0\n",
                                   "sample,prediction_0,prediction_2\n", "sample,prediction,probability,x\n",
                                   "sample,prediction,probability,top_1,top_1_probability,top_2\n",
                                   "sample,prediction,probability,prediction_text,target_text\n"}) {
    check_refused(header, "1: it is not what --schedule=predict begins with");
  }
  const std::string header = "sample,prediction,probability\n0,1,0.5\n";
  check_refused(header + "1,2\n", "3: expected 3 numbers, found 2");
  check_refused(header + "1,2,3,4\n", "3: expected 3 numbers, found 4");
  check_refused(header + "\n", "3: expected 3 numbers, found 1");
  for (const char* const field : {"", "<b>", "nan", "inf", "1e999", "0x1", " 1", "1 ", "\x1b[2J"}) {
    check_refused(header + fmt::format("1,{},0.5\n", field), "3: expected a number, found '");
  }
}

}  // namespace lockstep
