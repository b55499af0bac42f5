#include "model/metric.h"

#include <doctest/doctest.h>

#include <set>

namespace lockstep {

using Target = ProblemShape::Target;

TEST_CASE("metrics are found by name, and no two names are alike") {
  std::set<std::string_view> names{"kind", "step", "wall_seconds", "split", "samples"};  // also in its JSON line
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
  using Sample = ProblemShape::Sample;
  const auto measures = [](const char* name, const ProblemShape& shape) { return find_metric(name)->measures(shape); };
  const ProblemShape labels{.target = Target::class_label};
  const ProblemShape numbers{.target = Target::real};
  CHECK(measures("accuracy", labels));
  CHECK(!measures("accuracy", numbers));
  CHECK(find_metric("accuracy")->better == Metric::Better::higher);
  CHECK(measures("mean_squared_error", numbers));
  CHECK(!measures("mean_squared_error", labels));
  for (const ProblemShape& shape : {labels, numbers}) CHECK(measures("loss", shape));
  for (const Sample sample : {Sample::row, Sample::sequence, Sample::pair}) {
    const ProblemShape shape{.sample = sample};
    CHECK(measures("perplexity", shape) == (sample != Sample::row));
    CHECK(measures("accuracy_per_sequence", shape) == (sample == Sample::pair));
    CHECK(!measures("bits_per_character", shape));
  }
  CHECK(measures("bits_per_character", {.sample = Sample::sequence, .characters = true}));
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
