#include "train/output/progress_display.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "train/output/phase_seconds.h"

namespace lockstep {

ProgressDisplay::ProgressDisplay(Log& log, const Trace& trace, const Options& options)
    : log_(log),
      trace_(trace),
      options_(options),
      seen_(log.status_space().columns > 0),
      progress_{.step = options.first_step - 1, .steps = options.steps, .unit = options.unit},
      pace_{.step = options.first_step - 1} {}

void ProgressDisplay::step(const Step& step) {
  if (!seen_) return;
  pause_.reset();
  progress_.activity.reset();
  const std::int64_t made = step.number - std::exchange(pace_.step, step.number);  // several if they are handed out
  progress_.step = step.number;
  progress_.epochs = step.epochs;
  progress_.loss = step.loss;
  if (!std::exchange(begun_, true)) {
    since_first_.restart();
    evaluated_before_ = pace_.evaluating;
    trained_ = PhaseSeconds::so_far(trace_).training();
    draw();
    return;
  }
  processed_ += step.processed;
  pace_.measured += made;
  if (!step.has_line && !due()) return;
  measure_rate();
  pace_.stepping = since_first_.seconds() - (pace_.evaluating - evaluated_before_);
  progress_.seconds_left = time_left(pace_, options_.steps, options_.evaluate_every);
  draw();
}

void ProgressDisplay::evaluating(double share) {
  if (!seen_) return;
  const double seconds = seconds_of(Pause::Why::evaluation);
  if (!due()) return;
  const auto percent = static_cast<int>(share * 100);
  progress_.activity = {.brief = fmt::format("eval {:>3} %", percent),
                        .full = fmt::format("evaluating {:>3} %", percent)};
  progress_.seconds_left =
      time_left(pace_, options_.steps, options_.evaluate_every, EvaluationUnderWay{.seconds = seconds, .share = share});
  draw();
}

void ProgressDisplay::metric(std::string text) {
  if (!seen_) return;
  progress_.metric = std::move(text);
  if (!pause_ || pause_->why != Pause::Why::evaluation) return;
  pace_.evaluating += pause_->watch.seconds();
  ++pace_.evaluations;
  pause_.reset();
  progress_.activity.reset();
  progress_.seconds_left = time_left(pace_, options_.steps, options_.evaluate_every);
  if (begun_) draw();
}

void ProgressDisplay::saving() {
  if (!seen_) return;
  const double seconds = seconds_of(Pause::Why::save);
  if (!due()) return;
  const std::string text = "saving " + clock_text(seconds);
  progress_.activity = {.brief = text, .full = text};
  if (progress_.step == options_.steps) progress_.seconds_left.reset();  // the disk's remaining time is not known
  draw();
}

double ProgressDisplay::seconds_of(Pause::Why why) {
  if (!pause_ || pause_->why != why) pause_ = Pause{.why = why};
  return pause_->watch.seconds();
}

void ProgressDisplay::draw() {
  const Log::StatusSpace space = log_.status_space();
  log_.status(progress_bar(progress_, {.columns = space.columns, .blocks = options_.blocks, .colours = space.colours}));
  since_drawn_.restart();
}

// Measures a mean over the last seconds, with decreasing weight for older ones, so that people can read the number.
void ProgressDisplay::measure_rate() {
  constexpr double kMemory = 2;  // seconds
  const double trained = PhaseSeconds::so_far(trace_).training();
  const double seconds = trained - trained_;
  if (seconds <= 0) return;
  const double rate = static_cast<double>(processed_) / seconds;
  const double weight = progress_.rate > 0 ? 1 - std::exp(-seconds / kMemory) : 1;
  progress_.rate += weight * (rate - progress_.rate);
  trained_ = trained;
  processed_ = 0;
}

}  // namespace lockstep
