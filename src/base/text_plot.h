#pragma once

#include <span>
#include <string>

namespace lockstep {

// What a column of a plot shows: the values from the lowest to the highest. NaN: none.
struct Interval {
  double lowest = 0;
  double highest = 0;
};

// What stands below the first and the last column.
struct PlotLabels {
  std::string first;
  std::string last;
};

// A curve of a dozen lines in plain ASCII, so that it survives any terminal and log file, between axes that name its
// lowest and its highest value. Ends with a line feed. Pure. REQUIRES: a column that has values.
std::string text_plot(std::span<const Interval> columns, const PlotLabels& labels);

}  // namespace lockstep
