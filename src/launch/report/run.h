#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "train/output/metrics_lines.h"

namespace lockstep {

struct Metric;  // model/metric.h

// Lines of one kind of metrics.jsonl as columns: the train lines, or the evaluations on one split.
struct MetricsTable {
  struct Column {
    std::string name;
    std::vector<double> values{};  // NaN: the line has none, or one that was not finite
  };

  std::string name;                   // "training", or the split; "eval/test": of a separate evaluator
  std::vector<std::int64_t> steps{};  // one per line, as in the other columns; never falling
  std::vector<double> seconds{};      // wall_seconds
  std::vector<Column> columns{};      // in the order in which they are met

  const Column* find(std::string_view column) const;
};

// A column of the first lines of predictions.csv.
struct PredictionColumn {
  std::string name;
  std::vector<double> values{};
  std::vector<std::string> texts{};  // the texts of a column of texts, which has no values
};

// A run, as the files of its output_dir describe it. A plain value.
struct Run {
  std::string name{};    // its name in a report (run_names.h)
  std::string folder{};  // as it was given, fit to be printed
  MetricsTable training{.name = "training"};
  std::vector<MetricsTable> evaluations{};
  std::vector<Json> starts{};   // whole lines of kind start
  std::vector<Json> events{};   // whole lines of kind event
  std::vector<Json> ends{};     // whole lines of kind end
  std::vector<Json> details{};  // whole files: details-SPLIT.json of an evaluation
  Json config{};                // config.json; null: there is none

  std::vector<PredictionColumn> predictions{};  // the first lines of predictions.csv; empty: there is none

  std::int64_t lines_left_out = 0;     // lines of metrics.jsonl that are broken or cut off
  std::string first_left_out{};        // the first of these: "line 7 of metrics.jsonl"
  std::vector<std::string> remarks{};  // remarks on other files: which could not be read, and why
};

// The training lines, then each evaluation's.
std::vector<const MetricsTable*> tables_of(const Run& run);

// The index of the line in which a column is best, the first of equals; the last if none is finite. REQUIRES: the
// column has lines.
std::size_t best_of(const MetricsTable::Column& column, const Metric& metric);

}  // namespace lockstep
