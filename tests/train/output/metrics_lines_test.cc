#include "train/output/metrics_lines.h"

#include <doctest/doctest.h>

#include <vector>

namespace lockstep {
namespace {

std::vector<MetricsLine> lines_of(std::string_view file) {
  std::vector<MetricsLine> all;
  MetricsLines lines(file);
  for (MetricsLine line; lines.next(line);) all.push_back(line);
  return all;
}

}  // namespace

TEST_CASE("lines are counted from 1, and the last may be cut off") {
  const std::vector<MetricsLine> lines =
      lines_of("{\"kind\": \"end\", \"step\": 7}\n\nx\n{\"kind\": \"end\", \"step\": 8}");
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].text == "{\"kind\": \"end\", \"step\": 7}");
  CHECK(lines[1].text.empty());
  CHECK(lines[3].number == 4);
  CHECK(lines[2].whole);
  CHECK(!lines[3].whole);
  REQUIRE(lines[0].json().has_value());
  CHECK(whole_member(*lines[0].json(), "step") == 7);
  for (const std::size_t none : {1, 2, 3}) CHECK(!lines[none].json().has_value());
  CHECK(lines_of("").empty());
}

TEST_CASE("what no run writes has no JSON: without a kind, without a step") {
  for (const char* const text :
       {"[]", "{}", "7", R"({"kind": "train"})", R"({"step": 1})", R"({"kind": 3, "step": 1})",
        R"({"kind": "", "step": 1})", R"({"kind": "train", "step": 1.5})", R"({"kind": "train", "step": -1})",
        R"({"kind": "train", "step": 99999999999999999999})", R"({"kind": "train", "step": 1, "step": 2})",
        R"({"kind": "train", "step": 1} x)"}) {
    CAPTURE(text);
    CHECK(!MetricsLine{.text = text}.json().has_value());
  }
  CHECK(MetricsLine{.text = R"({"step": 0, "kind": "dance"})"}.json().has_value());
}

TEST_CASE("a member of another type is none") {
  const Json line = Json::Object{{"whole", 1000}, {"number", 2.5}, {"text", "a"}, {"none", Json()}};
  CHECK(number_member(line, "whole") == 1000);
  CHECK(number_member(line, "number") == 2.5);
  CHECK(whole_member(line, "number") == 0);
  CHECK(text_member(line, "text") == "a");
  CHECK(text_member(line, "whole").empty());
  for (const char* const name : {"text", "none", "absent"}) CHECK(number_member(line, name) == 0);
}

}  // namespace lockstep
