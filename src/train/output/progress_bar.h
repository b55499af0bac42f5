#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/environment.h"

// The progress of a run, for one line of a terminal.
namespace lockstep {

struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 1;
  double epochs = 0;
  std::optional<double> loss{};
  std::string metric{};  // metric of the last evaluation: "accuracy 96.43 %"; "" before the first one
  double rate = 0;       // `unit` per second; 0: not known yet
  std::string_view unit = "samples";
  // The activity at this moment other than training, which then has no rate; none: it trains.
  struct Activity {
    std::string brief{};  // "eval  40 %"
    std::string full{};   // "evaluating  40 %"
  };
  std::optional<Activity> activity{};
  std::optional<double> seconds_left{};
};

struct BarStyle {
  int columns = 80;     // most columns of the line
  bool blocks = false;  // Unicode's block characters, which fill in eighths of a column; else '#'
  bool colours = false;
};
// Returns whether text is encoded as UTF-8, by the first variable of the locale that is set.
bool encodes_utf8(const Environment& environment);

// The line for a terminal. What does not fit is left out: first the epoch, then the long words, the bar itself, metric,
// rate, loss, activity, time left and per cent; a shorter part may fill the room of a longer one. Pure.
std::string progress_bar(const Progress& progress, const BarStyle& style);

// A time as text: "0:07", "12:34", "1:02:03", "2d 03:04:05".
std::string clock_text(double seconds);

}  // namespace lockstep
