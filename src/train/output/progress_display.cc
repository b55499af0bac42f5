#include "train/output/progress_display.h"

#include <cmath>
#include <utility>

#include "train/output/phase_seconds.h"

namespace lockstep {

ProgressDisplay::ProgressDisplay(Log& log, const Trace& trace, std::int64_t steps, bool blocks)
    : log_(log), trace_(trace), blocks_(blocks), seen_(log.status_space().columns > 0), progress_{.steps = steps} {}

void ProgressDisplay::step(const Step& step) {
  constexpr double kBetweenDrawings = 0.1;  // seconds
  if (!seen_) return;
  const bool first = first_step_ == 0;
  if (first) {
    first_step_ = step.number;
    since_first_.restart();
    trained_ = PhaseSeconds::so_far(trace_).training();
  } else {
    examples_ += step.examples;
    if (!step.has_line && since_drawn_.seconds() < kBetweenDrawings) return;
    measure_rate();
    const double per_step = since_first_.seconds() / static_cast<double>(step.number - first_step_);
    progress_.seconds_left = per_step * static_cast<double>(progress_.steps - step.number);
  }
  progress_.step = step.number;
  progress_.epochs = step.epochs;
  progress_.loss = step.loss;
  draw();
}

void ProgressDisplay::metric(std::string text) {
  progress_.metric = std::move(text);
  if (first_step_ > 0) draw();
}

void ProgressDisplay::draw() {
  const Log::StatusSpace space = log_.status_space();
  log_.status(progress_bar(progress_, {.columns = space.columns, .blocks = blocks_, .colours = space.colours}));
  since_drawn_.restart();
}

// The mean of the last seconds, in which what is longer ago counts less and less: a number that people can read.
void ProgressDisplay::measure_rate() {
  constexpr double kMemory = 2;  // seconds
  const double trained = PhaseSeconds::so_far(trace_).training();
  const double seconds = trained - trained_;
  if (seconds <= 0) return;
  const double rate = static_cast<double>(examples_) / seconds;
  const double weight = progress_.rate > 0 ? 1 - std::exp(-seconds / kMemory) : 1;
  progress_.rate += weight * (rate - progress_.rate);
  trained_ = trained;
  examples_ = 0;
}

}  // namespace lockstep
