#pragma once

#include <optional>
#include <span>
#include <string>

namespace lockstep {

// One column of a plot: its lowest and its highest value. NaN: none.
struct Interval {
  double lowest = 0;
  double highest = 0;
};

// Texts below the first and the last column.
struct PlotLabels {
  std::string first;
  std::string last;
};

// The lowest and the highest value of all columns; the infinities in reverse if no column has values. Pure.
Interval interval_of_all(std::span<const Interval> columns);

// A curve of a dozen lines in plain ASCII, so that it survives any terminal and log file, between axes that name the
// lowest and the highest value. axis: the interval between them, so that curves can be compared; by default that of the
// curve. Ends with a line feed. Pure. REQUIRES: a column that has values, and an axis that has room for all.
std::string text_plot(std::span<const Interval> columns, const PlotLabels& labels, std::optional<Interval> axis = {});

}  // namespace lockstep
