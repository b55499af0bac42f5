#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "train/output/progress_bar.h"

namespace lockstep {

// Draws the progress bar as the log's status where somebody sees it; elsewhere it does nothing. Log and trace are the
// caller's. Main thread.
class ProgressDisplay {
 public:
  // blocks: as in BarStyle.
  ProgressDisplay(Log& log, const Trace& trace, std::int64_t steps, bool blocks);

  // After every step. Draws ten times a second at most, but also where a line says how far the run has come.
  struct Step {
    std::int64_t number = 0;
    double epochs = 0;
    std::int64_t examples = 0;
    std::optional<double> loss{};
    bool has_line = false;
  };
  void step(const Step& step);
  // Of the last evaluation: "accuracy 96.43 %".
  void metric(std::string text);
  // Takes the bar away.
  void end() { log_.status(""); }

 private:
  void measure_rate();
  void draw();

  Log& log_;
  const Trace& trace_;
  bool blocks_;
  bool seen_;
  Progress progress_;
  std::int64_t first_step_ = 0;  // of this run
  Stopwatch since_first_;        // which takes longer than the others: what is left is judged by those after it
  Stopwatch since_drawn_;
  double trained_ = 0;         // seconds, when it was drawn
  std::int64_t examples_ = 0;  // since then
};

}  // namespace lockstep
