#include <doctest/doctest.h>

#include <fmt/format.h>

#include "launch/report/page.h"
#include "launch/report/read_predictions.h"
#include "launch/report/run_json.h"
#include "launch/report/run_text.h"
#include "launch/report/sample_tables.h"
#include "launch/report/samples_html.h"

namespace lockstep {
namespace {

Run with_predictions(const std::string& csv) {
  return {.name = "RUN", .predictions = first_predictions(csv, Beginning::whole_file, "p.csv")};
}

Run with_details(const std::string& worst) {
  Run run{.name = "RUN"};
  run.details.push_back(parse_json(fmt::format(R"({{"split": "dev", "step": 20, "worst": {}}})", worst)));
  return run;
}

SampleTable only_table(const Run& run) {
  std::vector<SampleTable> tables = sample_tables(run);
  REQUIRE(tables.size() == 1);
  return tables.front();
}

std::vector<std::string> texts(const std::vector<SampleTable::Cell>& row) {
  std::vector<std::string> all;
  for (const SampleTable::Cell& cell : row) all.push_back(cell.text);
  return all;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("predictions of classes are shown with their probabilities, of numbers as lists") {
  const SampleTable classes =
      only_table(with_predictions("sample,prediction,probability\n0,12,0.123456\n1,3,1\n2,3,1e-9\n"));
  CHECK(classes.title == "Predictions, the first 3 samples");
  CHECK(classes.columns == Texts{"sample", "prediction", "probability"});
  CHECK(texts(classes.rows[0]) == Texts{"0", "12", "0.1235"});
  CHECK(texts(classes.rows[1]) == Texts{"1", "3", "1.0000"});
  CHECK(classes.rows[0][2].share == 0.123456);
  CHECK(!classes.rows[0][1].share.has_value());

  const SampleTable one = only_table(with_predictions("sample,prediction\n0,0.123456\n"));
  CHECK(one.title == "Predictions, the first 1 sample");
  CHECK(texts(one.rows[0]) == Texts{"0", "0.1235"});
  std::string header = "sample", row = "\n0";
  for (int output = 0; output < 6; ++output) {
    header += fmt::format(",prediction_{}", output);
    row += fmt::format(",{}.5", output);
  }
  CHECK(texts(only_table(with_predictions(header + row + "\n")).rows[0]) == Texts{"0", "0.5 1.5 2.5 3.5 ..."});
  CHECK(sample_tables(with_predictions("sample,prediction\n")).empty());
  CHECK(sample_tables(Run{}).empty());
}

TEST_CASE("predictions of sequences, and the worst of their symbols, say the position") {
  const SampleTable symbols = only_table(
      with_predictions("sample,position,prediction,probability,target,loss\n0,0,12,0.25,3,2.5\n0,1,4,1,4,0\n"));
  CHECK(symbols.title == "Predictions, the first 2 symbols");
  CHECK(symbols.columns == Texts{"sample", "position", "prediction", "probability", "target", "loss"});
  CHECK(texts(symbols.rows[0]) == Texts{"0", "0", "12", "0.2500", "3", "2.5"});
  CHECK(symbols.rows[0][3].share == 0.25);
  const SampleTable worst = only_table(
      with_details(R"([{"sample": 7, "position": 3, "label": 1, "prediction": 2, "probability": 0.5, "loss": 11.5}])"));
  CHECK(worst.title == "Worst symbols, dev split, step 20");
  CHECK(worst.columns == Texts{"sample", "position", "label", "prediction", "label's probability", "loss"});
  CHECK(texts(worst.rows[0]) == Texts{"7", "3", "1", "2", "0.5000", "11.5"});
}

TEST_CASE("the worst samples of an evaluation, of classes and of numbers") {
  const SampleTable classes = only_table(
      with_details(R"([{"sample": 7, "label": 1, "prediction": 2, "probability": 0.0000123, "loss": 11.30594}])"));
  CHECK(classes.title == "Worst samples, dev split, step 20");
  CHECK(classes.columns == Texts{"sample", "label", "prediction", "label's probability", "loss"});
  CHECK(texts(classes.rows[0]) == Texts{"7", "1", "2", "0.0000", "11.31"});
  const SampleTable numbers =
      only_table(with_details(R"([{"sample": 7, "target": [1, 2.5], "prediction": [3, 4], "squared_error": 3.125}])"));
  CHECK(numbers.columns == Texts{"sample", "target", "prediction", "squared error"});
  CHECK(texts(numbers.rows[0]) == Texts{"7", "1 2.5", "3 4", "3.125"});
  CHECK(sample_tables(with_details("[]")).empty());
}

TEST_CASE("a damaged list of worst samples is a line, and the report goes on") {
  for (const char* const worst :
       {"null", "7", "{}", "[7]", "[null]", R"([{"sample": "<b>"}])", R"([{"sample": [[1]]}])",
        R"([{"sample": 1, "loss": 2}, {"sample": 1}])", R"([{"sample": 1, "loss": null}])"}) {
    CAPTURE(worst);
    const Run run = with_details(worst);
    const SampleTable table = only_table(run);
    CHECK(table.rows.empty());
    CHECK(table.trouble.starts_with("the file is damaged: worst"));
    CHECK(has(report_page(std::vector<Run>{run}), "<p>the file is damaged: worst"));
    CHECK(has(runs_text(std::vector<Run>{run}), "Worst samples, dev split, step 20: the file is damaged: worst"));
  }
  CHECK(samples_html({.trouble = "<b>"}) == "<p>&lt;b&gt;</p>\n");
}

TEST_CASE("of a list without end the first twenty are shown") {
  std::string list = "[";
  for (int sample = 0; sample < 1000; ++sample) list += fmt::format("{}{{\"sample\": {}}}", sample ? "," : "", sample);
  CHECK(only_table(with_details(list + "]")).rows.size() == 20);
}

TEST_CASE("symbols that stand for texts are shown as the text above its guesses") {
  const std::string header = "sample,position,prediction,probability,target,loss,prediction_text,target_text\n";
  const Run run = with_predictions(header +
                                   "0,0,3,0.25,2,0.693147,e,t\n0,1,4,1,4,0,h,h\n"
                                   "1,0,5,0.5,6,9,\",\",\\n\n");
  const SampleTable table = only_table(run);
  CHECK(table.title == "Predictions, the first 3 symbols");
  CHECK(table.columns == Texts{"sample", "position", "prediction", "probability", "target", "loss"});
  CHECK(texts(table.rows[2]) == Texts{"1", "0", "5 ','", "0.5000", "6 '\\n'", "9"});
  REQUIRE(table.symbols.size() == 3);
  const std::string page = report_page(std::vector<Run>{run});
  CHECK(has(page,
            R"(<p class="symbols"><span style="--part:50" title="loss 0.6931"><span>t</span><span>e</span></span>)"
            R"(<span style="--part:0" title="loss 0"><span>h</span><span class="same">h</span></span></p>)"));
  CHECK(has(
      page,
      R"(<p class="symbols"><span class="word" style="--part:100" title="loss 9"><span>\n</span><span>,</span></span></p>)"));
  const std::string text = runs_text(std::vector<Run>{run});
  CHECK(has(text, "Predictions, the first 3 symbols\n  true   th\n  guess  eh\n  true   \\n \n  guess  ,  \n"));
  const Json all = parse_json(runs_json(std::vector<Run>{run}));
  CHECK(*all.find("runs")->as<Json::Array>()->front().find("predictions")->find("target_text") ==
        Json(Json::Array{"t", "h", "\\n"}));
}

TEST_CASE("of many symbols of a text the page has 200 and a table of 20, the terminal two lines of each kind") {
  std::string csv = "sample,position,prediction,probability,target,loss,prediction_text,target_text\n";
  for (int symbol = 0; symbol < 300; ++symbol) csv += fmt::format("0,{},3,0.25,2,0.5,é,a\n", symbol);
  const Run run = with_predictions(csv);
  const SampleTable table = only_table(run);
  CHECK(table.symbols.size() == 200);
  CHECK(table.rows.size() == 20);
  const std::string pair = fmt::format("  true   {:a>72}\n  guess  {:é>72}\n", "", "");
  CHECK(has(runs_text(std::vector<Run>{run}), "\n" + pair + pair + "  ...\n  sample"));
}

TEST_CASE("the most probable classes of a row are one column") {
  const SampleTable classes = only_table(with_predictions(
      "sample,prediction,probability,top_1,top_1_probability,top_2,top_2_probability\n0,7,0.5,7,0.5,3,0.126\n"));
  CHECK(classes.columns == Texts{"sample", "prediction", "probability", "most probable"});
  CHECK(texts(classes.rows[0]) == Texts{"0", "7", "0.5000", "7 0.50, 3 0.13"});
  const SampleTable symbols = only_table(
      with_predictions("sample,position,prediction,probability,target,loss,top_1,top_1_probability,prediction_text,"
                       "target_text,top_1_text\n0,0,3,0.25,2,0.5,3,0.25,e,t,e\n"));
  CHECK(symbols.columns.back() == "most probable");
  CHECK(symbols.rows[0].back().text == "'e' 0.25");
}

TEST_CASE("the worst samples of an evaluation have their pictures on the page, and symbols their texts") {
  const char* const png = "data:image/png;base64,Zm9vYmFy";
  const Run run =
      with_details(fmt::format(R"([{{"sample": 7, "label": 1, "prediction": 2, "loss": 3, "picture": "{}"}}])", png));
  const SampleTable table = only_table(run);
  CHECK(table.columns == Texts{"sample", "picture", "label", "prediction", "loss"});
  CHECK(has(report_page(std::vector<Run>{run}), fmt::format(R"(<td><img alt="the sample" src="{}"></td>)", png)));
  CHECK(
      has(runs_text(std::vector<Run>{run}), "  sample  label  prediction  loss\n  7           1           2     3\n"));
  for (const std::string& picture : {std::string("http://a/b.png"), std::string("data:image/svg+xml;base64,Zm9v"),
                                     std::string(png) + "\\\" onload", std::string(png) + std::string(100'000, 'A')}) {
    const SampleTable refused =
        only_table(with_details(fmt::format(R"([{{"sample": 7, "picture": {}}}])", Json(picture).text())));
    CHECK(refused.rows.empty());
    CHECK(refused.trouble.starts_with("the file is damaged: worst[0].picture"));
  }
  const SampleTable symbols = only_table(with_details(
      R"([{"sample": 7, "position": 3, "label": 1, "prediction": 2, "loss": 3, "label_text": "<b>", "prediction_text": "\\n"}])"));
  CHECK(symbols.columns == Texts{"sample", "position", "label", "prediction", "loss"});
  CHECK(texts(symbols.rows[0]) == Texts{"7", "3", "1 '<b>'", "2 '\\n'", "3"});
}

TEST_CASE("a page has a bar for each probability, the text the first few, the JSON all digits") {
  std::string csv = "sample,prediction,probability\n";
  for (int sample = 0; sample < 9; ++sample) csv += fmt::format("{},1,0.7512345\n", sample);
  const std::vector<Run> runs{with_predictions(csv)};
  CHECK(has(report_page(runs), R"(<td>8</td><td>1</td><td class="share" style="--part:75">0.7512</td>)"));
  const std::string text = runs_text(runs);
  CHECK(has(text,
            "Predictions, the first 9 samples\n  sample  prediction  probability\n  0                1       0.7512"));
  CHECK(has(text, "\n  4                1       0.7512\n  ...\n"));
  const Json all = parse_json(runs_json(runs));
  const Json& run = all.find("runs")->as<Json::Array>()->front();
  CHECK(run.find("predictions")->find("probability")->as<Json::Array>()->front() == Json(0.7512345));
  CHECK(run.find("predictions")->find("sample")->as<Json::Array>()->back() == Json(8));
  const Json none = parse_json(runs_json(std::vector<Run>{Run{}}));
  CHECK(*none.find("runs")->as<Json::Array>()->front().find("predictions") == Json());
}

}  // namespace lockstep
