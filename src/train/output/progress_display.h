#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "train/output/progress_bar.h"
#include "train/output/time_left.h"

namespace lockstep {

// Draws the progress bar as the log's status on a terminal; elsewhere it does nothing. It draws at most ten times a
// second, and whenever a line reports progress. Log and trace are the caller's. Main thread.
class ProgressDisplay {
 public:
  struct Options {
    std::int64_t first_step = 1;  // first step of this start
    std::int64_t steps = 1;
    std::optional<std::int64_t> evaluate_every{};  // interval of evaluations, as in time_left.h
    std::string_view unit = "samples";             // unit of what is counted
    bool blocks = false;                           // as in BarStyle
  };
  ProgressDisplay(Log& log, const Trace& trace, const Options& options);

  // To be called after every step.
  struct Step {
    std::int64_t number = 0;
    double epochs = 0;
    std::int64_t processed = 0;  // samples, or tokens if they are counted
    std::optional<double> loss{};
    bool has_line = false;
  };
  void step(const Step& step);
  // To be called from time to time during an evaluation. share: the part of it that is done.
  void evaluating(double share);
  // To be called after an evaluation. text: its result, "accuracy 96.43 %".
  void metric(std::string text);
  // To be called from time to time while training waits for a save.
  void saving();
  // Removes the bar.
  void end() { log_.status(""); }

 private:
  // The reason why the next step waits.
  struct Pause {
    enum class Why { evaluation, save };
    Why why = Why::evaluation;
    Stopwatch watch{};
  };

  double seconds_of(Pause::Why why);  // seconds of such a pause, which begins if none is under way
  void measure_rate();
  bool due() const { return begun_ && since_drawn_.seconds() >= kBetweenDrawings; }
  void draw();

  static constexpr double kBetweenDrawings = 0.1;  // seconds

  Log& log_;
  const Trace& trace_;
  Options options_;
  bool seen_;
  Progress progress_;
  PaceSoFar pace_;
  std::optional<Pause> pause_{};
  bool begun_ = false;           // a step was made
  Stopwatch since_first_;        // the first step takes longer than the others: the time left is judged by later ones
  double evaluated_before_ = 0;  // seconds of evaluations before the end of the first step
  Stopwatch since_drawn_;
  double trained_ = 0;          // seconds of training when the rate was measured
  std::int64_t processed_ = 0;  // samples or tokens since then
};

}  // namespace lockstep
