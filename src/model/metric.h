#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <string_view>

#include "tensor/problem_shape.h"

namespace lockstep {

// A measure of a model's outputs: the mean over rows (tensor/batch.h) of some value. Models give sums (MetricSums),
// which add up over batches and ranks.
struct Metric {
  enum class Better { lower, higher };
  enum class Of { all, class_labels, numbers, sequences, pairs, characters };  // problems that have it
  enum class Mean { over_rows, over_sequences };

  std::string_view name{};   // name in metrics.jsonl, and for flags that take a metric
  std::string_view count{};  // name of the count in metrics.jsonl, if it counts; else ""
  Better better = Better::lower;
  Of of = Of::all;
  Mean mean = Mean::over_rows;
  std::int64_t of_more_than = 0;  // classes: with that many or fewer it says nothing to people
  // For a metric that follows from the mean loss and has no sum of its own.
  double (*of_loss)(double loss) = nullptr;
  // Text in a log line, with {mean}, {percent}, {count}, {samples} (rows) and {sequences}; "": in none. Lines list
  // metrics in the order of the table.
  std::string_view shown{};

  bool measures(const ProblemShape& shape) const {
    const bool labels = shape.target == ProblemShape::Target::class_label;
    switch (of) {
      case Of::class_labels:
        return labels;
      case Of::numbers:
        return !labels;
      case Of::sequences:
        return shape.has_sequences();
      case Of::pairs:
        return shape.sample == ProblemShape::Sample::pair;
      case Of::characters:
        return shape.characters;
      case Of::all:
        break;
    }
    return true;
  }
};

// All metrics. To add one, add a row, and its sum where Model::forward() adds them up.
inline constexpr Metric kMetrics[] = {
    {.name = "accuracy",
     .count = "correct",
     .better = Metric::Better::higher,
     .of = Metric::Of::class_labels,
     .shown = "accuracy {percent:.2f} % ({count} of {samples})"},
    {.name = "accuracy_per_sequence",  // every target that counts is right
     .count = "correct_sequences",
     .better = Metric::Better::higher,
     .of = Metric::Of::pairs,
     .mean = Metric::Mean::over_sequences,
     .shown = "accuracy per sequence {percent:.2f} % ({count} of {sequences})"},
    {.name = "top5_accuracy",  // the label is among the five most likely classes
     .count = "in_top5",
     .better = Metric::Better::higher,
     .of = Metric::Of::class_labels,
     .of_more_than = 5,
     .shown = "top-5 {percent:.2f} %"},
    {.name = "mean_squared_error", .of = Metric::Of::numbers, .shown = "mean squared error {mean:.5f}"},
    {.name = "mean_absolute_error",
     .of = Metric::Of::numbers,
     .shown = "mean absolute error {mean:.5f} over {samples} samples"},
    {.name = "loss", .shown = "loss {mean:.5f}"},
    {.name = "neg_log_perplexity",  // tensor2tensor's name
     .better = Metric::Better::higher,
     .of = Metric::Of::sequences,
     .of_loss = [](double loss) { return -loss; }},
    {.name = "perplexity",
     .of = Metric::Of::sequences,
     .of_loss = [](double loss) { return std::exp(loss); },
     .shown = "perplexity {mean:.3f}"},
    {.name = "bits_per_character",
     .of = Metric::Of::characters,
     .of_loss = [](double loss) { return loss / std::numbers::ln2; },
     .shown = "{mean:.4f} bits per character"},
};

// The metric of that name; null if there is none.
constexpr const Metric* find_metric(std::string_view name) {
  const auto* const found = std::ranges::find(kMetrics, name, &Metric::name);
  return found == std::end(kMetrics) ? nullptr : found;
}

// Sums over one or more batches: of the rows' weights, of the sequences with a row of weight above 0, and for each
// metric of weight * value, or of the sequences it counts; 0 if it was not measured.
struct MetricSums {
  // A metric's index in the table, by name: an unknown name does not compile.
  class Place {
   public:
    consteval Place(const char* name)  // NOLINT(google-explicit-constructor): sums["loss"]
        : at_(static_cast<std::size_t>(std::ranges::find(kMetrics, name, &Metric::name) - std::begin(kMetrics))) {
      // Compares the index, as comparing the pointer is no constant expression to GCC with -fsanitize=undefined (GCC
      // bug 71962).
      if (at_ == std::size(kMetrics)) throw "no such metric";
    }
    constexpr std::size_t at() const { return at_; }

   private:
    std::size_t at_;
  };

  double weight = 0;
  double sequences = 0;
  std::array<double, std::size(kMetrics)> sums{};

  double& operator[](Place metric) { return sums[metric.at()]; }
  double operator[](Place metric) const { return sums[metric.at()]; }
};

}  // namespace lockstep
