#pragma once

#include <optional>
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

// From the lowest to the highest value of all columns. Infinities the wrong way round where none has one. Pure.
Interval interval_of_all(std::span<const Interval> columns);

// A curve of a dozen lines in plain ASCII, so that it survives any terminal and log file, between axes that name the
// lowest and the highest value. axis: what is between them, so that curves can be compared; without it, as much as the
// curve has. Ends with a line feed. Pure. REQUIRES: a column that has values, and an axis that has room for all.
std::string text_plot(std::span<const Interval> columns, const PlotLabels& labels, std::optional<Interval> axis = {});

}  // namespace lockstep
