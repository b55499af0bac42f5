#include "train/report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/counted.h"
#include "checkpoint/format.h"
#include "train/evaluation/evaluation_lines.h"
#include "train/output/readable_numbers.h"

namespace lockstep {
namespace {

// Members of the end line for the costs.
Json::Object members_of(const RunCosts& costs) {
  return {{"share_data", costs.shares.data},
          {"share_compute", costs.shares.compute},
          {"share_communication", costs.shares.communication},
          {"share_waiting", costs.waiting},
          {"share_evaluation", costs.shares.evaluation},
          {"share_saving", costs.shares.saving},
          {"peak_memory_bytes", costs.peak_memory_bytes}};
}

}  // namespace

ExitCode exit_code_of(const TrainOutcome& outcome) {
  if (!outcome.stopped) return ExitCode::done;
  if (outcome.saved) return ExitCode::stopped;
  return outcome.signal == 0 ? ExitCode::done : ended_by_signal(outcome.signal);
}

Report::Report(Log& log, const Trace& trace, std::unique_ptr<MetricsSink> metrics, const Options& options)
    : log_(log),
      trace_(trace),
      metrics_(std::move(metrics), options.wall_seconds),
      options_(options),
      at_start_(PhaseSeconds::so_far(trace)),
      at_last_line_(at_start_),
      at_last_step_(at_start_),
      progress_(log, trace,
                {.first_step = options.first_step,
                 .steps = options.train_steps,
                 .evaluate_every = options.evaluate_every,
                 .unit = unit(),
                 .blocks = options.utf8}) {
  for (PastEvaluation& past : options_.evaluations) count(past.step, past.value, std::move(past.members));
}

void Report::step(const Step& step, const StepResult& result) {
  // With local replicas we only know our own token count; assume the others are similar.
  const double tokens = result.sums.weight * (result.local ? options_.replicas : 1);
  at_last_step_ = PhaseSeconds::so_far(trace_);
  for (Seen* const seen : {&seen_, &all_seen_}) {
    seen->examples += step.examples;
    seen->steps += result.steps;
    seen->tokens += options_.counts_tokens ? tokens : 0;
  }
  const std::int64_t before = step.number - result.steps;  // several at a time if steps are handed out
  const bool due = options_.log_every > 0 && step.number / options_.log_every > before / options_.log_every;
  const bool last = step.number == options_.train_steps;
  const bool first = before < options_.first_step && step.number >= options_.first_step;
  const double loss = result.sums.weight > 0 ? result.sums.loss / result.sums.weight : 0;
  const bool blind = result.local && result.sums.weight == 0;  // a replica that saw no data knows no loss
  progress_.step({.number = step.number,
                  .epochs = step.epochs,
                  .processed = options_.counts_tokens ? std::llround(tokens) : step.examples,
                  .loss = blind ? std::nullopt : std::optional(loss),
                  .has_line = due || last});
  const bool for_people = !due && !last && silent_for_long();
  if (options_.log_every == 0 || (!due && !last && !first && !for_people)) return;
  since_line_.restart();
  const std::string loss_shown = blind ? "no loss (this rank has no data)"
                                       : fmt::format("loss {:.5f}{}", loss, result.local ? " (this rank's own)" : "");
  if (first && !due && !last) {
    log_.info("step {}/{}  {}  (the first step{})", step.number, options_.train_steps, loss_shown,
              options_.first_step == 1 ? "" : " since it was resumed");
    return;
  }
  const PhaseSeconds spent = spent_since(at_last_line_);
  const double seconds = std::max(spent.training(), 1e-9);
  const double stepping = std::max(this->stepping(spent), 1e-9);
  const double examples_rate = static_cast<double>(seen_.examples) / stepping;
  const double tokens_rate = seen_.tokens / stepping;
  const double steps_rate = static_cast<double>(seen_.steps) / stepping;
  // A rank without data waits for the others all the time, which says nothing of training.
  const std::string shares = fmt::format("  data {} compute {} communication {}", percent(spent.data / seconds),
                                         percent(spent.compute / seconds), percent(spent.communication / seconds));
  log_.info("step {}/{}  epoch {:.2f}  {}  learning rate {:.3g}  {} {}/s{}", step.number, options_.train_steps,
            step.epochs, loss_shown, step.learning_rate,
            thousands(options_.counts_tokens ? tokens_rate : examples_rate), unit(), options_.computes ? shares : "");
  if (for_people) return;  // the next regular line counts from the last one
  at_last_line_ = at_last_line_.plus(1, spent);
  seen_ = {};
  if (!due) return;
  Json::Object line;
  if (!blind) line.emplace_back("loss", loss);
  line.emplace_back("learning_rate", step.learning_rate);
  if (result.local) line.emplace_back("local", true);
  line.emplace_back("examples_per_second", examples_rate);
  if (options_.counts_tokens) line.emplace_back("tokens_per_second", tokens_rate);
  if (options_.others_go_on) line.emplace_back("updates_per_second", steps_rate);
  line.emplace_back("grad_norm", result.gradient_norm);
  if (options_.computes) {
    line.emplace_back("share_data", spent.data / seconds);
    line.emplace_back("share_compute", spent.compute / seconds);
    line.emplace_back("share_communication", spent.communication / seconds);
  }
  if (options_.progress) std::ranges::move(options_.progress(), std::back_inserter(line));
  metrics_.write("train", step.number, std::move(line));
}

void Report::evaluating(double share) {
  progress_.evaluating(share);
  if (!silent_for_long()) return;
  since_line_.restart();
  log_.info("evaluating: {} done", percent(share));
}

void Report::evaluation(std::int64_t step, Split split, const EvaluationResult& result) {
  log_.info("evaluation after step {}: {} {}", step, name(split), describe(result));
  const Json::Object members = members_of(split, result);
  const EvaluationResult::Value& value = result[options_.metric->name];
  count(step, value.mean, members);
  // Shown next to the loss of the step.
  progress_.metric(value.metric->name == "loss" ? fmt::format("{} {}", name(split), brief(value)) : brief(value));
  metrics_.write("eval", step, members);
}

// members: those of the metrics.jsonl line, from the split on.
void Report::count(std::int64_t step, double value, Json::Object members) {
  members.insert(members.begin(), {"step", step});
  ++evaluations_;
  last_ = Evaluated{.shown = {.step = step, .metric = brief({.metric = options_.metric, .mean = value})},
                    .members = std::move(members)};
  if (best_so_far_.add(step, value, options_.metric->better)) best_ = last_;
}

void Report::started(std::int64_t step, Json::Object facts) { metrics_.write("start", step, std::move(facts)); }

void Report::resumed(const Resumption& from) {
  log_.info("the checkpoint was read in {:.2f} s", from.seconds);
  metrics_.write("event", from.header.step,
                 {{"event", "resumed"}, {"checkpoint", from.file}, {"read_seconds", from.seconds}});
}

void Report::saved(const Saver::Saved& saved) {
  const auto& [step, bytes, seconds] = saved.written;
  const double megabytes = static_cast<double>(bytes) / 1e6;
  log_.info("saved step {}: {:.1f} MB, written in {:.2f} s; training waited {:.1f} ms", step, megabytes, seconds,
            saved.waited * 1e3);
  metrics_.write("event", step,
                 {{"event", "saved"},
                  {"bytes", static_cast<std::int64_t>(bytes)},
                  {"write_seconds", seconds},
                  {"wait_seconds", saved.waited}});
}

void Report::stopping(std::int64_t step, const std::string& why) {
  log_.info("asked to stop by {}: stopping after step {}", why, step);
  metrics_.write("event", step, {{"event", "stopping"}, {"reason", why}});
}

void Report::best(const BestNote& note) {
  log_.info("step {} is the best so far: {} {:.5f} on the {} split; it is kept in {}/", note.step, note.metric,
            note.value, note.split, kBestFolder);
  metrics_.write("event", note.step, {{"event", "best"}, {"metric", note.metric}, {"value", note.value}});
}

void Report::ended_early(std::int64_t step, const std::string& why) {
  log_.info("ending early after step {}: {}", step, why);
  if (step < options_.first_step) return;  // the run before has written it
  metrics_.write("event", step, {{"event", "ended_early"}, {"reason", why}});
}

RunCosts Report::gather_costs(Communicator& ranks) const {
  return lockstep::gather_costs(ranks, spent_since(at_start_), seconds(), options_.computes);
}

double Report::stepping(const PhaseSeconds& spent) const {
  return spent.training() + (options_.others_go_on ? spent.evaluation + spent.saving : 0);
}

RunSummary Report::summary(const TrainOutcome& outcome) const {
  RunSummary summary{.costs = outcome.costs, .evaluations = evaluations_};
  // Nobody goes on after the last step.
  const PhaseSeconds spent = options_.others_go_on ? at_last_step_.plus(-1, at_start_) : spent_since(at_start_);
  const double seconds = std::max(stepping(spent), 1e-9);
  if (all_seen_.examples > 0) {
    summary.examples_per_second = static_cast<double>(all_seen_.examples) / seconds;
    if (options_.counts_tokens) summary.tokens_per_second = all_seen_.tokens / seconds;
  }
  if (best_) summary.best = best_->shown;
  if (last_) summary.last = last_->shown;
  return summary;
}

// The steps in words: "300 steps (1.9 epochs) in 3.0 s", "350 steps (2.2 epochs), the last 50 in 0.8 s, ended early".
std::string Report::describe_steps(const TrainOutcome& outcome) const {
  const std::string steps = fmt::format("{} ({:.1f} epochs)", counted(outcome.step, "step"), outcome.epochs);
  const std::int64_t here = outcome.step - options_.first_step + 1;
  const bool early = !outcome.stopped && outcome.step < options_.train_steps;
  const std::string share = here > 0 && here < outcome.step ? fmt::format(", the last {}", here) : "";
  const std::string took = here > 0 ? fmt::format("{} in {:.1f} s", share, outcome.seconds) : "";
  return fmt::format("{}{}{}", steps, took, early ? ", ended early" : "");
}

void Report::end(const TrainOutcome& outcome) {
  progress_.end();
  const RunSummary summary = this->summary(outcome);
  for (const std::string& line : describe(summary)) log_.info("{}", line);
  if (!outcome.graphs_remark.empty()) log_.info("{}", outcome.graphs_remark);
  for (const std::string& told : outcome.account.lines) log_.info("{}", told);
  log_.info("parameters sha256 {}", outcome.parameters_sha256);
  const std::string made = describe_steps(outcome);
  if (outcome.stopped) {
    log_.result("stopped after {}: {}", made,
                outcome.saved
                    ? "saved; run the same command again to continue"
                    : "nothing is saved, because there is no --output_dir; the same command starts from the beginning");
  } else {
    const bool none = outcome.step < options_.first_step;
    log_.result("{}: {}", none ? "already finished after " + made : "trained " + made,
                outcome.evaluation.samples == 0
                    ? std::string("nothing was evaluated")
                    : fmt::format("{} {}", name(outcome.evaluated), describe(outcome.evaluation)));
  }
  describe_files(outcome);
  Json::Object line;
  line.emplace_back("finished", !outcome.stopped);
  line.emplace_back("parameters_sha256", outcome.parameters_sha256);
  line.emplace_back("seconds", outcome.seconds);
  if (summary.examples_per_second > 0) line.emplace_back("examples_per_second", summary.examples_per_second);
  if (summary.tokens_per_second) line.emplace_back("tokens_per_second", *summary.tokens_per_second);
  std::ranges::move(members_of(outcome.costs), std::back_inserter(line));
  std::ranges::copy(outcome.account.members, std::back_inserter(line));
  if (best_) line.emplace_back("best_evaluation", best_->members);
  if (last_) line.emplace_back("evaluation", last_->members);
  metrics_.write("end", outcome.step, std::move(line));
}

// Logs the files of the run. If nothing is written, the result line of a stopped run has said so already.
void Report::describe_files(const TrainOutcome& outcome) {
  if (!options_.files || (outcome.stopped && options_.files->output_dir.empty())) return;
  const auto checkpoint = [](std::int64_t step) {
    return fmt::format("{}{}{}", kCheckpointPrefix, step, kCheckpointSuffix);
  };
  RunFiles files = *options_.files;
  if (outcome.saved) files.newest = checkpoint(outcome.step);
  if (outcome.best_step > 0) files.best = fmt::format("{}/{}", kBestFolder, checkpoint(outcome.best_step));
  for (const std::string& line : describe(files)) log_.info("{}", line);
}

}  // namespace lockstep
