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
  std::size_t run = 0;  // which of the runs
  const MetricsTable* table = nullptr;
  const MetricsTable::Column* column = nullptr;
};

// The columns of one name in all tables of all runs: what is drawn into one frame.
struct Chart {
  std::string name;
  std::vector<Curve> curves{};
  bool says_little = false;
};

// The loss first, then the metrics of evaluations, then the other columns of train lines. Columns without a finite
// value and those that only count (samples, tokens, correct) have none; nor have shares of time (time_split). The runs
// outlive them.
//
// Says little: what is constant in each run and no metric; a metric that is the loss in another unit, as
// neg_log_perplexity is; and one that needs many classes, as the top 5 do, where a run has few.
std::vector<Chart> charts_of(std::span<const Run> runs);

inline constexpr std::string_view kSharePrefix = "share_";

// The shares of time of a run's train lines, of data, compute and communication: all three, or none.
std::vector<Curve> time_split(const Run& run);

// Which of many values to draw: in order, the first and the last, and of each of `buckets` equal parts the lowest, the
// highest and the first that is NaN. All of them where they are few. Pure.
std::vector<std::size_t> thinned(std::span<const double> values, std::size_t buckets);

}  // namespace lockstep
