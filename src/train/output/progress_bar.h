#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/environment.h"

// How far a run has come, as one line of a terminal.
namespace lockstep {

struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 1;
  double epochs = 0;
  std::optional<double> loss{};
  std::string metric{};  // of the last evaluation: "accuracy 96.43 %"; "" before the first
  double rate = 0;       // `unit` per second; 0: not known yet
  std::string_view unit = "samples";
  // What it does at this moment other than training, which then has no rate; none: nothing.
  struct Activity {
    std::string brief{};  // "eval  40 %"
    std::string full{};   // "evaluating  40 %"
  };
  std::optional<Activity> activity{};
  std::optional<double> seconds_left{};
};

struct BarStyle {
  int columns = 80;     // the most that the line may take
  bool blocks = false;  // UTF-8's, which fill in eighths of a column; else '#'
  bool colours = false;
};
// By the variables of the locale, whose first that is set says how text is encoded.
bool encodes_utf8(const Environment& environment);

// What does not fit is left out, the less important first: the long words, the epoch, the bar itself;
// then metric, rate, loss, activity and time left. Pure.
std::string progress_bar(const Progress& progress, const BarStyle& style);

// "0:07", "12:34", "1:02:03", "2d 03:04:05".
std::string clock_text(double seconds);

}  // namespace lockstep
