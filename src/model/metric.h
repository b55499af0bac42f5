#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "tensor/problem_shape.h"

namespace lockstep {

// What a model's answers are measured by: the mean over samples of some value. Models give sums (MetricSums), which add
// up over batches and ranks.
struct Metric {
  enum class Better { lower, higher };

  std::string_view name{};   // in metrics.jsonl, and for flags that take a metric
  std::string_view count{};  // of one that counts samples: what their number is called in metrics.jsonl; else ""
  Better better = Better::lower;
  std::optional<ProblemShape::Target> target{};  // of which it can be measured; none: of all
  std::int64_t of_more_than = 0;                 // classes: of that many or fewer it says nothing to people
  // In a log line, with {mean}, {percent}, {count} and {samples}. Lines list metrics in the order of the table.
  std::string_view shown{};

  bool measures(ProblemShape::Target of) const { return !target || *target == of; }
};

// All there are. To add one, add a row, and its sum where Model::forward() adds them up.
inline constexpr Metric kMetrics[] = {
    {.name = "accuracy",
     .count = "correct",
     .better = Metric::Better::higher,
     .target = ProblemShape::Target::class_label,
     .shown = "accuracy {percent:.2f} % ({count} of {samples})"},
    {.name = "top5_accuracy",  // the label is among the five most likely classes
     .count = "in_top5",
     .better = Metric::Better::higher,
     .target = ProblemShape::Target::class_label,
     .of_more_than = 5,
     .shown = "top-5 {percent:.2f} %"},
    {.name = "mean_squared_error", .target = ProblemShape::Target::real, .shown = "mean squared error {mean:.5f}"},
    {.name = "mean_absolute_error",
     .target = ProblemShape::Target::real,
     .shown = "mean absolute error {mean:.5f} over {samples} samples"},
    {.name = "loss", .shown = "loss {mean:.5f}"},
};

// The metric of that name; null if there is none.
constexpr const Metric* find_metric(std::string_view name) {
  const auto* const found = std::ranges::find(kMetrics, name, &Metric::name);
  return found == std::end(kMetrics) ? nullptr : found;
}

// Sums over a batch or more: of the samples' weights, and for each metric of weight * value; 0 where it was not
// measured.
struct MetricSums {
  // A metric's place in the table, by its name: a name that is not there does not compile.
  class Place {
   public:
    consteval Place(const char* name)  // NOLINT(google-explicit-constructor): sums["loss"]
        : at_(static_cast<std::size_t>(std::ranges::find(kMetrics, name, &Metric::name) - std::begin(kMetrics))) {
      // By the number: comparing the pointer is no constant expression to GCC with -fsanitize=undefined (GCC bug
      // 71962).
      if (at_ == std::size(kMetrics)) throw "no such metric";
    }
    constexpr std::size_t at() const { return at_; }

   private:
    std::size_t at_;
  };

  double weight = 0;
  std::array<double, std::size(kMetrics)> sums{};

  double& operator[](Place metric) { return sums[metric.at()]; }
  double operator[](Place metric) const { return sums[metric.at()]; }
};

}  // namespace lockstep
