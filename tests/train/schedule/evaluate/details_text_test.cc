#include "train/schedule/evaluate/details_text.h"

#include <doctest/doctest.h>

#include "tensor/batch.h"

namespace lockstep {

TEST_CASE("details: of classes, as JSON and for people; a share of nothing is null, and a dash") {
  EvaluationDetails details{.confusion = Confusion(2), .worst = WorstSamples(20, 3)};
  details.confusion->add(0, 0);
  details.confusion->add(0, 0);
  details.worst.add({.loss = 0.5, .sample = 7, .values = {0, 1, 0.25}});
  CHECK(
      Json(details_members(details)).text(Json::Form::readable) ==
      R"({"classes": [{"class": 0, "samples": 2, "predicted": 2, "correct": 2, "precision": 1, "recall": 1, "f1": 1}, )"
      R"({"class": 1, "samples": 0, "predicted": 0, "correct": 0, "precision": null, "recall": null, "f1": null}], )"
      R"("confusion": [[2, 0], [0, 0]], "worst": [{"sample": 7, "label": 0, "prediction": 1, "probability": 0.25, )"
      R"("loss": 0.5}]})");
  CHECK(details_text(details) ==
        "  class    samples    correct  precision %  recall %    F1 %\n"
        "      0          2          2       100.00    100.00  100.00\n"
        "      1          0          0            -         -       -\n"
        "confusion matrix, a row for each label, a column for each prediction:\n"
        "          0   1\n"
        "      0   2   0\n"
        "      1   0   0\n"
        "the largest losses:\n"
        "      sample  label  prediction  probability      loss\n"
        "           7      0           1         0.25   0.50000\n");
}

TEST_CASE("details: of very many classes there is no matrix, which both forms say") {
  const EvaluationDetails details{.confusion = Confusion(1001), .worst = WorstSamples(20, 3)};
  const Json json(details_members(details));
  CHECK(*json.find("confusion") == Json());
  CHECK(json.find("classes")->as<Json::Array>()->size() == 1001);
  CHECK(details_text(details) == "no confusion matrix: it is kept up to 1000 classes, and there are 1001\n");
}

TEST_CASE("details: of sequences the worst are symbols, by sample and position") {
  EvaluationDetails details{.confusion = Confusion(1001), .worst = WorstSamples(20, 3), .sequences = true};
  details.worst.add({.loss = 0.5, .sample = 3 * kMostPositions + 12, .values = {4, 1, 0.25}});
  CHECK(Json(*Json(details_members(details)).find("worst")).text(Json::Form::readable) ==
        R"([{"sample": 3, "position": 12, "label": 4, "prediction": 1, "probability": 0.25, "loss": 0.5}])");
  CHECK(details_text(details) ==
        "no confusion matrix: it is kept up to 1000 classes, and there are 1001\n"
        "the largest losses:\n"
        "      sample  position  label  prediction  probability      loss\n"
        "           3        12      4           1         0.25   0.50000\n");
}

TEST_CASE("details: symbols that stand for texts have them beside their numbers") {
  EvaluationDetails details{
      .confusion = Confusion(2), .worst = WorstSamples(20, 3), .sequences = true, .texts = {"\\n", "é"}};
  details.confusion->add(1, 0);
  details.worst.add({.loss = 0.5, .sample = 3 * kMostPositions + 12, .values = {1, 0, 0.25}});
  const Json json(details_members(details));
  CHECK(json.find("classes")
            ->as<Json::Array>()
            ->front()
            .text(Json::Form::readable)
            .starts_with(R"({"class": 0, "text": "\\n", "samples": 0, )"));
  CHECK(json.find("worst")->text(Json::Form::readable) ==
        R"([{"sample": 3, "position": 12, "label": 1, "prediction": 0, "probability": 0.25, "loss": 0.5, )"
        R"("label_text": "é", "prediction_text": "\\n"}])");
  const std::string text = details_text(details);
  CHECK(
      text.starts_with("  class    samples    correct  precision %  recall %    F1 %  text\n"
                       "      0          0          0         0.00         -    0.00  '\\n'\n"));
  CHECK(
      text.ends_with("      sample  position  label  prediction  probability      loss  label and prediction as text\n"
                     "           3        12      1           0         0.25   0.50000  'é' '\\n'\n"));
}

TEST_CASE("details: a worst sample that is a picture has it as a page shows it") {
  EvaluationDetails details{.confusion = Confusion(2), .worst = WorstSamples(20, 3), .pictures = {"foobar"}};
  details.worst.add({.loss = 0.5, .sample = 3, .values = {1, 0, 0.25}});
  CHECK(Json(details_members(details)).find("worst")->text(Json::Form::readable) ==
        R"([{"sample": 3, "label": 1, "prediction": 0, "probability": 0.25, "loss": 0.5, )"
        R"("picture": "data:image/png;base64,Zm9vYmFy"}])");
}

TEST_CASE("details: of numbers to predict, the worst samples alone") {
  EvaluationDetails details{.worst = WorstSamples(20, 4)};
  details.worst.add({.loss = 2, .sample = 7, .values = {1, 2, 3, 2}});
  CHECK(Json(details_members(details)).text(Json::Form::readable) ==
        R"({"worst": [{"sample": 7, "target": [1, 2], "prediction": [3, 2], "squared_error": 2}]})");
  CHECK(details_text(details) ==
        "the largest errors:\n"
        "      sample  squared error\n"
        "           7              2  target 1 2, prediction 3 2\n");
}

}  // namespace lockstep
