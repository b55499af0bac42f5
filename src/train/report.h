#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/trace.h"
#include "data/problem.h"
#include "train/evaluation/best_so_far.h"
#include "train/evaluation/evaluation.h"
#include "train/evaluation/past_evaluations.h"
#include "train/metrics_log.h"
#include "train/output/metrics_sink.h"
#include "train/output/phase_seconds.h"
#include "train/output/progress_display.h"
#include "train/output/run_summary.h"
#include "train/resume.h"
#include "train/state/saver.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// Outcome of a run.
struct TrainOutcome {
  std::int64_t step = 0;  // last step made
  double seconds = 0;     // training time, evaluations included
  double epochs = 0;
  bool stopped = false;        // asked to stop before the last step
  bool saved = false;          // there is a checkpoint of that step
  std::int64_t best_step = 0;  // step kept in best/; 0: none
  int signal = 0;              // signal that asked to stop; 0: the time limit did
  EvaluationResult evaluation{};
  Split evaluated = Split::test;
  std::string parameters_sha256{};
  RunCosts costs{};
  std::string graphs_remark{};  // StepGraphs::remark()
  StrategyAccount account{};
};

// Exit code of the run. A run that was stopped with nothing saved would start from the beginning if run again, so its
// code is not `stopped`, but the signal's, or `done` if a time limit ended it.
ExitCode exit_code_of(const TrainOutcome& outcome);

// Reports a run's progress: lines for people in the log, a progress bar below them on a terminal, and the same as JSON
// in metrics.jsonl. Every rank has one; Log keeps all but the chief's quiet, and only the chief has a metrics file.
// Main thread only.
class Report {
 public:
  struct Options {
    std::int64_t first_step = 1;  // first step of this start; larger than 1 if the run is resumed
    std::int64_t train_steps = 0;
    std::int64_t log_every = 100;
    double most_silence = 30;                      // seconds without a line, after which the next step logs one
    double wall_seconds = 0;                       // training time of earlier starts
    std::optional<std::int64_t> evaluate_every{};  // see time_left.h
    const Metric* metric = find_metric("loss");    // metric that decides the best evaluation
    bool counts_tokens = false;                    // counts tokens of sequences, else samples
    std::vector<PastEvaluation> evaluations{};     // evaluations of earlier starts, by that metric
    int replicas = 1;                              // replicas that train alone, if results are a rank's own
    bool computes = true;                          // this rank has a share of the data
    bool others_go_on = false;                     // other ranks make steps while this one evaluates or saves
    std::function<Json::Object()> progress{};      // Strategy::progress(), for train lines; may be null
    bool utf8 = false;                             // the terminal shows UTF-8
    std::optional<RunFiles> files{};               // files for the last lines; none: the run leaves no files
  };
  // metrics: null if nothing is written.
  Report(Log& log, const Trace& trace, std::unique_ptr<MetricsSink> metrics, const Options& options);

  // To be called after every step. Logs the first step, every log_every steps and the last, and also after a long
  // silence; metrics.jsonl has only those of log_every. Nothing if log_every is 0.
  struct Step {
    std::int64_t number = 0;
    double epochs = 0;  // epochs done after the step
    double learning_rate = 0;
    std::int64_t examples = 0;  // samples of the step over all ranks
  };
  void step(const Step& step, const StepResult& result);
  // To be called from time to time: during an evaluation, with the share of it that is done, and while training waits
  // for a save.
  void evaluating(double share);
  void saving() { progress_.saving(); }
  void evaluation(std::int64_t step, Split split, const EvaluationResult& result);
  // Writes the facts about this start (run_description.h) to metrics.jsonl only. step: the last one made before it.
  void started(std::int64_t step, Json::Object facts);
  void resumed(const Resumption& from);
  void saved(const Saver::Saved& saved);
  void best(const BestNote& note);
  void ended_early(std::int64_t step, const std::string& why);
  void stopping(std::int64_t step, const std::string& why);
  void end(const TrainOutcome& outcome);

  // The costs of the run so far. COLLECTIVE; at least one of the ranks computes.
  RunCosts gather_costs(Communicator& ranks) const;
  double seconds() const { return watch_.seconds(); }  // time since this start

 private:
  const char* unit() const { return options_.counts_tokens ? "tokens" : "samples"; }
  PhaseSeconds spent_since(const PhaseSeconds& earlier) const { return PhaseSeconds::so_far(trace_).plus(-1, earlier); }
  // The part of `spent` in which the steps that are reported were made.
  double stepping(const PhaseSeconds& spent) const;
  RunSummary summary(const TrainOutcome& outcome) const;
  std::string describe_steps(const TrainOutcome& outcome) const;
  void describe_files(const TrainOutcome& outcome);
  // An evaluation, for the last lines.
  struct Evaluated {
    RunSummary::Evaluated shown{};
    Json::Object members{};
  };
  void count(std::int64_t step, double value, Json::Object members);

  Log& log_;
  const Trace& trace_;
  MetricsLog metrics_;
  Options options_;
  bool silent_for_long() const { return options_.log_every > 0 && since_line_.seconds() >= options_.most_silence; }

  Stopwatch watch_;
  Stopwatch since_line_;
  PhaseSeconds at_start_;
  PhaseSeconds at_last_line_;
  PhaseSeconds at_last_step_;
  struct Seen {
    std::int64_t examples = 0;
    double tokens = 0;  // tokens of sequences that count
    std::int64_t steps = 0;
  };
  Seen seen_;      // since the last train line
  Seen all_seen_;  // since the start
  ProgressDisplay progress_;
  std::int64_t evaluations_ = 0;  // evaluations of all starts
  BestSoFar best_so_far_{};       // over all starts
  std::optional<Evaluated> best_{};
  std::optional<Evaluated> last_{};
};

}  // namespace lockstep
