#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/report/run.h"

namespace lockstep {

// A column of a run as a curve.
struct Curve {
  std::size_t run = 0;  // index of the run
  const MetricsTable* table = nullptr;
  const MetricsTable::Column* column = nullptr;
};

// The columns of one name in all tables of all runs, drawn into one frame.
struct Chart {
  std::string name;
  std::vector<Curve> curves{};
  bool says_little = false;
};

// The charts of runs: the loss first, then the metrics of evaluations, then the other columns of train lines. Columns
// without a finite value and those that only count (samples, tokens, correct) have none; nor have shares of time
// (time_split). The runs outlive the charts.
//
// A chart says little if it is no metric and constant in each run; if it is a metric that is the loss in another unit,
// as neg_log_perplexity is; or if it needs many classes, as the top 5 do, and a run has few or does not say.
std::vector<Chart> charts_of(std::span<const Run> runs);

inline constexpr std::string_view kSharePrefix = "share_";

// The shares of time of a run's train lines, of data, compute and communication: all three, or none.
std::vector<Curve> time_split(const Run& run);

// The indices of the values to draw, in order: the first and the last, and of each of `buckets` equal parts the lowest,
// the highest and the first that is NaN. All of them if they are few. Pure.
std::vector<std::size_t> thinned(std::span<const double> values, std::size_t buckets);

}  // namespace lockstep
