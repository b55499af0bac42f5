#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/trace.h"
#include "data/problem.h"
#include "train/choosing/best_so_far.h"
#include "train/choosing/past_evaluations.h"
#include "train/evaluation.h"
#include "train/metrics_log.h"
#include "train/output/metrics_sink.h"
#include "train/output/phase_seconds.h"
#include "train/output/progress_display.h"
#include "train/output/run_summary.h"
#include "train/resume.h"
#include "train/saver.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// How a run ended.
struct TrainOutcome {
  std::int64_t step = 0;  // the last one that was made
  double seconds = 0;     // of training, evaluations included
  double epochs = 0;
  bool stopped = false;        // asked to stop before the last step
  bool saved = false;          // there is a checkpoint of that step
  std::int64_t best_step = 0;  // that is kept in best/; 0: none
  int signal = 0;              // that asked to stop; 0: the time limit did
  EvaluationResult evaluation{};
  Split evaluated = Split::test;
  std::string parameters_sha256{};
  RunCosts costs{};
  std::string graphs_remark{};  // of StepGraphs
};

// Stopped with nothing saved, a run that is started again would begin anew: not `stopped`, but the signal's code, or
// `done` where a time limit has said how long to train.
ExitCode exit_code_of(const TrainOutcome& outcome);

// What a run says while it trains: lines for people in the log, below them a progress bar where there is a terminal,
// and the same as JSON in metrics.jsonl. Every rank has one; Log keeps all but the chief's quiet, and only the chief
// has a metrics file. Main thread only.
class Report {
 public:
  struct Options {
    std::int64_t first_step = 1;  // of this run; a resumed one's is a later one
    std::int64_t train_steps = 0;
    std::int64_t log_every = 100;
    double most_silence = 30;                      // seconds after which the log has a line at the next step
    double wall_seconds = 0;                       // of the starts before it
    std::optional<std::int64_t> evaluate_every{};  // as in time_left.h
    const Metric* metric = find_metric("loss");    // by which an evaluation is the best
    bool counts_tokens = false;                    // of sequences; else samples
    std::vector<PastEvaluation> evaluations{};     // of the starts before it, by that metric
    int replicas = 1;                              // that train alone where a result is one's own
    bool computes = true;                          // this rank, which has a share of the data
    bool utf8 = false;                             // on the terminal
    std::optional<RunFiles> files{};               // for the last lines; none: nothing stays of the run
  };
  // metrics may be null: nothing is written.
  Report(Log& log, const Trace& trace, std::unique_ptr<MetricsSink> metrics, const Options& options);

  // After every step; speaks at the first, every log_every steps and at the last, and to people also when it has been
  // silent for long; never if log_every is 0.
  struct Step {
    std::int64_t number = 0;
    double epochs = 0;  // made after it
    double learning_rate = 0;
    std::int64_t examples = 0;  // of all ranks
  };
  void step(const Step& step, const StepResult& result);
  // From time to time during an evaluation, with the share of it that is done, and while training waits for a save.
  void evaluating(double share);
  void saving() { progress_.saving(); }
  void evaluation(std::int64_t step, Split split, const EvaluationResult& result);
  // What this start computes (run_description.h), for metrics.jsonl alone. step: the last one made before it.
  void started(std::int64_t step, Json::Object facts);
  void resumed(const Resumption& from);
  void saved(const Saver::Saved& saved);
  void best(const BestNote& note);
  void ended_early(std::int64_t step, const std::string& why);
  void stopping(std::int64_t step, const std::string& why);
  void end(const TrainOutcome& outcome);

  // What the run has cost so far. COLLECTIVE; one of the ranks computes.
  RunCosts gather_costs(Communicator& ranks) const;
  double seconds() const { return watch_.seconds(); }  // of this run

 private:
  const char* unit() const { return options_.counts_tokens ? "tokens" : "samples"; }
  PhaseSeconds spent_since(const PhaseSeconds& earlier) const { return PhaseSeconds::so_far(trace_).plus(-1, earlier); }
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
  struct Seen {
    std::int64_t examples = 0;
    double tokens = 0;  // that count, of sequences
  };
  Seen seen_;      // since the last train line
  Seen all_seen_;  // since the start
  ProgressDisplay progress_;
  std::int64_t evaluations_ = 0;  // of all starts
  BestSoFar best_so_far_{};       // likewise
  std::optional<Evaluated> best_{};
  std::optional<Evaluated> last_{};
};

}  // namespace lockstep
