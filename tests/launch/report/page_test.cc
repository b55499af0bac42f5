#include "launch/report/page.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "launch/report/confusion_html.h"
#include "launch/report/html.h"
#include "launch/report/read_metrics.h"
#include "launch/report/run_json.h"
#include "launch/report/run_text.h"

namespace lockstep {
namespace {

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

// Returns the JSON that the page's script draws.
Json curves_in(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="curves">)";
  const std::size_t from = page.find(begin) + begin.size();
  return parse_json(page.substr(from, page.find("</script>", from) - from));
}

const Json& member(const Json& object, const char* name) {
  REQUIRE(object.find(name) != nullptr);
  return *object.find(name);
}

Run read(const std::string& text, const std::string& name) {
  Run run{.name = name, .folder = name};
  read_metrics(text, "", run);
  return run;
}

constexpr const char* kMetrics =
    R"({"kind": "start", "step": 0, "wall_seconds": 0, "ranks": 3, "started": "2026-01-02T03:04:05Z"}
{"kind": "train", "step": 10, "wall_seconds": 1.5, "loss": 0.30000000000000004, "learning_rate": 1e-10}
{"kind": "event", "step": 10, "wall_seconds": 1.75, "event": "resumed", "checkpoint": "RUN/model.ckpt-10.h5"}
{"kind": "train", "step": 20, "wall_seconds": 2.5, "loss": null, "learning_rate": 2}
{"kind": "eval", "step": 20, "wall_seconds": 3, "split": "test", "loss": 0.1, "samples": 8, "accuracy": 0.625}
{"kind": "end", "step": 20, "wall_seconds": 3.5, "finished": true}
)";

}  // namespace

TEST_CASE("a page's numbers are those of metrics.jsonl to the last digit") {
  const std::vector<Run> runs{read(kMetrics, "RUN")};
  const Json curves = curves_in(report_page(runs));
  const auto& charts = *member(curves, "charts").as<Json::Array>();
  REQUIRE(charts.size() == 3);
  const auto& loss = *member(charts[0], "curves").as<Json::Array>();
  REQUIRE(loss.size() == 2);
  CHECK(member(loss[0], "label") == Json("training"));
  CHECK(member(loss[0], "steps") == Json(Json::Array{10, 20}));
  CHECK(member(loss[0], "seconds") == Json(Json::Array{1.5, 2.5}));
  CHECK(member(loss[0], "values") == Json(Json::Array{0.30000000000000004, Json()}));
  CHECK(member(loss[1], "label") == Json("test"));
  CHECK(member(loss[1], "values") == Json(Json::Array{0.1}));
  CHECK(member(charts[1], "title") == Json("accuracy"));
  CHECK(member(charts[2], "title") == Json("learning rate"));
  const auto& moments = *(*member(curves, "moments").as<Json::Array>())[0].as<Json::Array>();
  REQUIRE(moments.size() == 1);  // a run's start and end show in its curves
  CHECK(member(moments[0], "text") == Json("resumed from model.ckpt-10.h5"));
}

TEST_CASE("a page needs nothing from elsewhere") {
  const std::string page = report_page(std::vector<Run>{read(kMetrics, "RUN")});
  for (const char* const word : {"src=", "href=", "url(", "import", "fetch("}) {
    CAPTURE(word);
    CHECK(times(page, word) == 0);
  }
  CHECK(times(page, "http") == 1);  // the name of SVG's namespace
  CHECK(times(page, "@media print") == 1);
  CHECK(times(page, "prefers-color-scheme: dark") == 1);
}

TEST_CASE("what files say is text on the page, never mark-up or script") {
  const std::string attack = R"(</script><script>alert('1')</script><!--"&)";
  const std::string quoted = Json(attack).text();
  std::string metrics;
  for (const char* const member : {"model", "started"}) {
    metrics += fmt::format("{{\"kind\": \"start\", \"step\": 0, \"{}\": {}}}\n", member, quoted);
  }
  metrics += fmt::format("{{\"kind\": \"train\", \"step\": 1, {}: 2}}\n", quoted);
  metrics += fmt::format("{{\"kind\": \"eval\", \"step\": 1, \"split\": {}, {}: 2}}\n", quoted, quoted);
  metrics += fmt::format("{{\"kind\": \"event\", \"step\": 1, \"event\": {}, \"reason\": {}}}\n", quoted, quoted);
  metrics += fmt::format("{{\"kind\": \"event\", \"step\": 1, \"event\": \"resumed\", \"checkpoint\": {}}}\n", quoted);
  Run run = read(metrics, attack);
  CHECK(run.lines_left_out == 0);
  run.config = Json::Object{{attack, attack}, {"hparams", Json::Object{{attack, attack}}}};
  const std::string page = report_page(std::vector<Run>{run, run});
  CHECK(times(page, "<script") == 2);
  CHECK(times(page, "</script") == 2);
  CHECK(times(page, "<!--") == 0);
  CHECK(times(page, "alert('1')") == times(curves_in(page).text(), "alert('1')"));  // only in the JSON
  const Json curves = curves_in(page);
  CHECK(member(curves, "runs") == Json(Json::Array{attack, attack}));
}

TEST_CASE("a confusion matrix is a table whose mistakes stand out by which part of their label they have") {
  Run run = read(kMetrics, "RUN");
  run.details.push_back(
      parse_json(R"({"split": "<dev>", "step": 20, "confusion": [[196, 4, 0], [2, 198, 0], [0, 0, 0]]})"));
  const std::string page = report_page(std::vector<Run>{run});
  CHECK(times(page, "Confusion matrix, &lt;dev&gt; split, step 20") == 1);
  const auto is_there = [&](const std::string& cells) { return times(page, cells) == 1; };
  CHECK(is_there(R"(>0</th><td class="right" style="--part:98">196</td><td style="--part:100">4</td>)"));
  CHECK(is_there(R"(>1</th><td style="--part:50">2</td><td class="right" style="--part:99">198</td>)"));
  CHECK(is_there(
      R"(>2</th><td style="--part:0">0</td><td style="--part:0">0</td><td class="right" style="--part:0">0</td>)"));
  CHECK(times(report_page(std::vector<Run>{run, run}), "Confusion matrix of RUN,") == 2);
}

TEST_CASE("the classes of a confusion matrix that stand for texts are called by them") {
  const std::string html = confusion_html(
      parse_json(R"({"confusion": [[1, 0], [0, 1]], "classes": [{"class": 0, "text": "<b>"}, {"class": 1}]})"));
  CHECK(times(html, "&#39;&lt;b&gt;&#39;</th>") == 2);
  CHECK(times(html, ">1</th>") == 2);
}

TEST_CASE("what is no square of counts is no confusion matrix") {
  for (const char* const confusion :
       {"null", "7", "[]", "[[1, 2]]", "[[1], [2]]", "[1]", "[[-1]]", "[[1.5]]", R"([["<b>"]])", "[[null]]"}) {
    CAPTURE(confusion);
    CHECK(confusion_html(parse_json(fmt::format("{{\"confusion\": {}}}", confusion))) == "");
  }
  CHECK(confusion_html(parse_json("{}")) == "");
  CHECK(confusion_html(Json(7)) == "");
  const auto square = [](std::size_t classes) {
    return Json::Object{{"confusion", Json::Array(classes, Json::Array(classes, Json(1)))}};
  };
  CHECK(confusion_html(square(100)) != "");
  CHECK(confusion_html(square(101)) == "");
}

TEST_CASE("escaping leaves a text what it was to whoever reads the page") {
  CHECK(html_escaped("a<b>&'\"\n") == "a&lt;b&gt;&amp;&#39;&quot;\n");
  CHECK(html_escaped("") == "");
  CHECK(parse_json(json_in_html(R"({"<a>": "&</script>"})")) == Json(Json::Object{{"<a>", "&</script>"}}));
  CHECK(json_in_html("<!--") == "\\u003c!--");
}

TEST_CASE("the JSON form has every number, in columns, and whole lines of what happened") {
  const Json all = parse_json(runs_json(std::vector<Run>{read(kMetrics, "A"), read("", "B")}));
  const auto& runs = *member(all, "runs").as<Json::Array>();
  REQUIRE(runs.size() == 2);
  CHECK(member(runs[0], "name") == Json("A"));
  const Json& training = member(runs[0], "training");
  CHECK(member(training, "step") == Json(Json::Array{10, 20}));
  CHECK(member(training, "loss") == Json(Json::Array{0.30000000000000004, Json()}));
  const Json& test = member(member(runs[0], "evaluations"), "test");
  CHECK(member(test, "samples") == Json(Json::Array{8}));
  CHECK(member(test, "wall_seconds") == Json(Json::Array{3}));
  CHECK(*member(runs[0], "starts").as<Json::Array>()->front().find("ranks") == Json(3));
  CHECK(member(runs[0], "events").as<Json::Array>()->size() == 1);
  CHECK(member(runs[0], "ends").as<Json::Array>()->size() == 1);
  CHECK(member(runs[0], "lines_left_out") == Json(0));
  CHECK(member(member(runs[1], "training"), "step") == Json(Json::Array{}));
}

TEST_CASE("a run that was started again says when it began, and when it was started last") {
  const std::string again =
      R"({"kind": "start", "step": 20, "wall_seconds": 0, "ranks": 3, "started": "2026-02-02T03:04:05Z"})"
      "\n";
  const std::string page = report_page(std::vector<Run>{read(kMetrics + again, "RUN")});
  CHECK(times(page, "<td>2026-01-02T03:04:05Z, the last time 2026-02-02T03:04:05Z</td>") == 1);
  CHECK(times(report_page(std::vector<Run>{read(kMetrics, "RUN")}), "<td>2026-01-02T03:04:05Z</td>") == 1);
}

TEST_CASE("the text form says how a run ended, its last and best values, and draws its curves") {
  const std::string text = runs_text(std::vector<Run>{read(kMetrics, "RUN"), read("{", "\x1b[2J")});
  CHECK(times(text, "RUN\n\n  state                   finished after step 20\n") == 1);
  CHECK(times(text, "test accuracy           0.625 (step 20)\n") == 1);
  CHECK(times(text, "training learning rate\n") == 1);
  CHECK(times(text, "  step 20\n") == 4);  // below each curve
  CHECK(times(text, "left out          1 line, broken or cut off, the first of them line 1 of metrics.jsonl") == 1);
  CHECK(times(text, "\x1b") == 0);
}

}  // namespace lockstep
