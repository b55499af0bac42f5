#include "launch/report/charts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "launch/report/read_metrics.h"

namespace lockstep {
namespace {

constexpr const char* kTwoLines =
    R"({"kind": "train", "step": 10, "wall_seconds": 1, "loss": 2, "learning_rate": 0.5, "share_data": 0.25, "share_compute": 0.5, "share_communication": 0.25, "odd": null}
{"kind": "eval", "step": 10, "wall_seconds": 2, "split": "test", "loss": 3, "samples": 8, "accuracy": 0.5, "correct": 4}
)";

std::vector<std::string> names_of(const std::vector<Chart>& charts) {
  std::vector<std::string> names;
  for (const Chart& chart : charts) names.push_back(chart.name);
  return names;
}

}  // namespace

TEST_CASE("a chart has the columns of one name; counts, shares and what was never finite have none") {
  std::vector<Run> runs(2);
  for (Run& run : runs) read_metrics(kTwoLines, "", run);
  const std::vector<Chart> charts = charts_of(runs);
  CHECK(names_of(charts) == std::vector<std::string>{"loss", "accuracy", "learning_rate"});
  REQUIRE(charts[0].curves.size() == 4);
  CHECK(charts[0].curves[0].table->name == "training");
  CHECK(charts[0].curves[1].table->name == "test");
  CHECK(charts[0].curves[3].run == 1);
  CHECK(time_split(runs[0]).size() == 3);
}

TEST_CASE("a curve says little that is constant, the loss in another unit, or of the top 5 of few classes") {
  constexpr const char* kStart = R"({"kind": "start", "step": 0, "wall_seconds": 0, "classes": 10}
)";
  constexpr const char* kLines =
      R"({"kind": "train", "step": 10, "wall_seconds": 1, "loss": 2, "learning_rate": 0.5, "grad_norm": 1}
{"kind": "train", "step": 20, "wall_seconds": 2, "loss": 2, "learning_rate": 0.5, "grad_norm": 2}
{"kind": "eval", "step": 10, "wall_seconds": 2, "split": "test", "loss": 3, "samples": 8, "tokens": 80, "accuracy": 0.5, "top5_accuracy": 0.5, "neg_log_perplexity": -3, "perplexity": 20}
{"kind": "eval", "step": 20, "wall_seconds": 2, "split": "test", "loss": 2, "samples": 8, "tokens": 80, "accuracy": 0.5, "top5_accuracy": 0.75, "neg_log_perplexity": -2, "perplexity": 7}
)";
  using Names = std::vector<std::string>;
  const auto little = [&](const std::string& text) {
    std::vector<Run> runs(1);
    read_metrics(text, "", runs.front());
    std::vector<Chart> charts = charts_of(runs);
    CHECK(charts.size() == 7);
    std::erase_if(charts, [](const Chart& chart) { return !chart.says_little; });
    return names_of(charts);
  };
  CHECK(little(std::string(kStart) + kLines) == Names{"top5_accuracy", "neg_log_perplexity", "learning_rate"});
  CHECK(little(std::string(R"({"kind": "start", "step": 0, "wall_seconds": 0, "classes": 1000}
)") + kLines) == Names{"neg_log_perplexity", "learning_rate"});
}

TEST_CASE("a run that has said nothing has no charts") {
  const std::vector<Run> runs(1);
  CHECK(charts_of(runs).empty());
  CHECK(time_split(runs[0]).empty());
}

TEST_CASE("few values are all drawn") {
  for (const std::size_t count : {0, 1, 2, 29, 30}) {
    CHECK(thinned(std::vector<double>(count, 1.0), 10).size() == count);
  }
}

TEST_CASE("of many values the first, the last, and each part's lowest, highest and first that is none are drawn") {
  constexpr std::size_t kBuckets = 7;
  for (const std::size_t count : {22, 23, 100, 1003}) {
    CAPTURE(count);
    std::mt19937 random(301);
    std::vector<double> values(count);
    for (double& value : values) value = random() % 10 == 0 ? NAN : static_cast<double>(random() % 1000);
    const std::vector<std::size_t> points = thinned(values, kBuckets);
    CHECK(points.size() <= 3 * kBuckets + 2);
    CHECK(std::ranges::is_sorted(points, std::less_equal{}));
    CHECK(points.front() == 0);
    CHECK(points.back() == count - 1);
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      double lowest = INFINITY, highest = -INFINITY, drawn_lowest = INFINITY, drawn_highest = -INFINITY;
      bool none = false, drawn_none = false;
      for (std::size_t at = bucket * count / kBuckets; at < (bucket + 1) * count / kBuckets; ++at) {
        const bool drawn = std::ranges::binary_search(points, at);
        none |= std::isnan(values[at]);
        drawn_none |= drawn && std::isnan(values[at]);
        if (std::isnan(values[at])) continue;
        lowest = std::min(lowest, values[at]);
        highest = std::max(highest, values[at]);
        if (!drawn) continue;
        drawn_lowest = std::min(drawn_lowest, values[at]);
        drawn_highest = std::max(drawn_highest, values[at]);
      }
      CHECK(lowest == drawn_lowest);
      CHECK(highest == drawn_highest);
      CHECK(none == drawn_none);
    }
  }
}

}  // namespace lockstep
