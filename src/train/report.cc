#include "train/report.h"

#include <algorithm>

namespace lockstep {
namespace {

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

// 84512.3 -> "84,512"
std::string thousands(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string describe(const EvaluationResult& result, bool classes) {
  if (!classes) {
    return fmt::format("mean squared error {:.5f}, mean absolute error {:.5f} over {} samples, loss {:.5f}",
                       result.mean_squared_error, result.mean_absolute_error, result.samples, result.loss);
  }
  return fmt::format("accuracy {:.2f} % ({} of {}), top-5 {:.2f} %, loss {:.5f}", result.accuracy() * 100,
                     result.correct, result.samples, result.top5_accuracy() * 100, result.loss);
}

}  // namespace

Report::Report(Log& log, const Trace& trace, std::unique_ptr<MetricsFile> metrics, const Options& options)
    : log_(log), trace_(trace), metrics_(std::move(metrics)), options_(options), at_last_line_(time_so_far()) {}

Report::TimeShares Report::time_so_far() const {
  return {.data = trace_.seconds_in(Phase::data),
          .compute = trace_.seconds_in(Phase::compute),
          .communication = trace_.seconds_in(Phase::communicate)};
}

void Report::step(const Step& step, const StepResult& result) {
  examples_ += step.examples;
  const bool due = step.number % options_.log_every == 0;
  const bool last = step.number == options_.train_steps;
  const bool first = step.number == options_.first_step;
  if (!due && !last && !first) return;
  const double loss = result.sums.weight > 0 ? result.sums.loss / result.sums.weight : 0;
  if (first && !due && !last) {
    log_.info("step {}/{}  loss {:.5f}  (the first step{})", step.number, options_.train_steps, loss,
              step.number == 1 ? "" : " since it was resumed");
    return;
  }
  const TimeShares now = time_so_far();
  const TimeShares spent{.data = now.data - at_last_line_.data,
                         .compute = now.compute - at_last_line_.compute,
                         .communication = now.communication - at_last_line_.communication};
  const double seconds = std::max(spent.total(), 1e-9);
  const double rate = static_cast<double>(examples_) / seconds;
  at_last_line_ = now;
  examples_ = 0;
  log_.info(
      "step {}/{}  epoch {:.2f}  loss {:.5f}{}  learning rate {:.3g}  {} samples/s  data {} compute {} "
      "communication {}",
      step.number, options_.train_steps, step.epochs, loss, result.local ? " (this rank's own)" : "",
      step.learning_rate, thousands(rate), percent(spent.data / seconds), percent(spent.compute / seconds),
      percent(spent.communication / seconds));
  if (!metrics_ || !due) return;
  JsonLine line("train");
  line.add("step", step.number).add("wall_seconds", wall_seconds()).add("loss", loss);
  line.add("learning_rate", step.learning_rate);
  if (result.local) line.add("local", true);
  line.add("examples_per_second", rate).add("grad_norm", result.gradient_norm);
  line.add("share_data", spent.data / seconds).add("share_compute", spent.compute / seconds);
  line.add("share_communication", spent.communication / seconds);
  metrics_->write(line);
}

void Report::evaluation(std::int64_t step, Split split, const EvaluationResult& result) {
  log_.info("evaluation after step {}: {} {}", step, name(split), describe(result, options_.classes));
  if (!metrics_) return;
  JsonLine line("eval");
  line.add("step", step).add("wall_seconds", wall_seconds()).add("split", name(split));
  line.add("loss", result.loss).add("samples", result.samples);
  if (options_.classes) {
    line.add("accuracy", result.accuracy()).add("correct", result.correct);
    line.add("top5_accuracy", result.top5_accuracy()).add("in_top5", result.in_top5);
  } else {
    line.add("mean_squared_error", result.mean_squared_error);
    line.add("mean_absolute_error", result.mean_absolute_error);
  }
  metrics_->write(line);
}

void Report::resumed(const Resumption& from) {
  log_.info("the checkpoint was read in {:.2f} s", from.seconds);
  if (!metrics_) return;
  JsonLine line("event");
  line.add("step", from.header.step).add("wall_seconds", wall_seconds()).add("event", "resumed");
  line.add("checkpoint", from.file).add("read_seconds", from.seconds);
  metrics_->write(line);
}

void Report::saved(const Saver::Saved& saved) {
  const auto& [step, bytes, seconds] = saved.written;
  const double megabytes = static_cast<double>(bytes) / 1e6;
  log_.info("saved step {}: {:.1f} MB, written in {:.2f} s; training waited {:.1f} ms", step, megabytes, seconds,
            saved.waited * 1e3);
  if (!metrics_) return;
  JsonLine line("event");
  line.add("step", step).add("wall_seconds", wall_seconds()).add("event", "saved");
  line.add("bytes", static_cast<std::int64_t>(bytes)).add("write_seconds", seconds);
  line.add("wait_seconds", saved.waited);
  metrics_->write(line);
}

void Report::stopping(std::int64_t step, const std::string& why) {
  log_.info("asked to stop by {}: stopping after step {}", why, step);
  if (!metrics_) return;
  JsonLine line("event");
  line.add("step", step).add("wall_seconds", wall_seconds()).add("event", "stopping").add("reason", why);
  metrics_->write(line);
}

void Report::end(const TrainOutcome& outcome) {
  log_.info("parameters sha256 {}", outcome.parameters_sha256);
  const std::string steps = fmt::format("{} steps ({:.1f} epochs)", outcome.step, outcome.epochs);
  const std::string made =
      outcome.step < options_.first_step ? steps : fmt::format("{} in {:.1f} s", steps, outcome.seconds);
  if (outcome.stopped) {
    log_.info("stopped after {}: {}", made,
              outcome.saved ? "saved; run the same command again to go on"
                            : "nothing is saved, because there is no --output_dir; the same command begins anew");
  } else {
    const bool none = outcome.step < options_.first_step;
    log_.info("{}: {}", none ? fmt::format("nothing was left to train: {} had been made", made) : "trained " + made,
              outcome.evaluation.samples == 0
                  ? std::string("there is neither a test nor a dev split to evaluate")
                  : fmt::format("{} {}", name(outcome.evaluated), describe(outcome.evaluation, options_.classes)));
  }
  if (!metrics_) return;
  JsonLine line("end");
  line.add("step", outcome.step).add("wall_seconds", wall_seconds()).add("finished", !outcome.stopped);
  line.add("parameters_sha256", outcome.parameters_sha256);
  metrics_->write(line);
}

}  // namespace lockstep
