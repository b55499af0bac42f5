#include "model/metric.h"

#include <doctest/doctest.h>

#include <set>

namespace lockstep {

using Target = ProblemShape::Target;

TEST_CASE("metrics are found by name, and no two names are alike") {
  std::set<std::string_view> names{"kind", "step", "wall_seconds", "split", "samples"};  // of the same line of JSON
  std::size_t expected = names.size();
  for (const Metric& metric : kMetrics) {
    CHECK(find_metric(metric.name) == &metric);
    names.insert(metric.name);
    ++expected;
    if (metric.count.empty()) continue;
    names.insert(metric.count);
    ++expected;
  }
  CHECK(names.size() == expected);
  CHECK(find_metric("accuracyy") == nullptr);
  CHECK(find_metric("correct") == nullptr);
}

TEST_CASE("which metrics a problem has, and which way is better") {
  CHECK(find_metric("accuracy")->measures(Target::class_label));
  CHECK(!find_metric("accuracy")->measures(Target::real));
  CHECK(find_metric("accuracy")->better == Metric::Better::higher);
  CHECK(find_metric("mean_squared_error")->measures(Target::real));
  CHECK(!find_metric("mean_squared_error")->measures(Target::class_label));
  for (const Target target : {Target::class_label, Target::real}) CHECK(find_metric("loss")->measures(target));
  CHECK(find_metric("loss")->better == Metric::Better::lower);
}

TEST_CASE("each metric has a sum of its own") {
  MetricSums sums{.weight = 3};
  sums["loss"] = 0.5;
  sums["accuracy"] = 2;
  CHECK(sums["loss"] == 0.5);
  CHECK(sums["accuracy"] == 2);
  CHECK(sums["top5_accuracy"] == 0);
}

}  // namespace lockstep
