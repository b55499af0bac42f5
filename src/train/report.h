#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "data/problem.h"
#include "train/evaluation.h"
#include "train/metrics.h"
#include "train/strategy.h"

namespace lockstep {

// How a run ended.
struct TrainOutcome {
  std::int64_t step = 0;  // the last one that was made
  double seconds = 0;     // of training, evaluations included
  bool stopped = false;   // asked to stop before the last step
  EvaluationResult evaluation{};
  Split evaluated = Split::test;
  std::string parameters_sha256{};
};

// What a run says while it trains: lines for people in the log, the same as JSON in metrics.jsonl. Every rank has one;
// Log keeps all but the chief's quiet, and only the chief has a metrics file. Main thread only.
class Report {
 public:
  struct Options {
    std::int64_t train_steps = 0;
    std::int64_t steps_per_epoch = 1;
    std::int64_t log_every = 100;
    bool classes = true;  // whether accuracy means something
  };
  // metrics may be null: nothing is written.
  Report(Log& log, const Trace& trace, std::unique_ptr<MetricsFile> metrics, const Options& options);

  // After every step; speaks at step 1 and every log_every steps. examples: of all ranks in this step.
  void step(std::int64_t step, const StepResult& result, double learning_rate, std::int64_t examples);
  void evaluation(std::int64_t step, Split split, const EvaluationResult& result);
  void end(const TrainOutcome& outcome);

  double seconds() const { return watch_.seconds(); }

 private:
  // Seconds of the main thread since the last train line, by what it did.
  struct TimeShares {
    double data = 0;
    double compute = 0;
    double communication = 0;
    double total() const { return data + compute + communication; }
  };
  TimeShares time_so_far() const;

  Log& log_;
  const Trace& trace_;
  std::unique_ptr<MetricsFile> metrics_;
  Options options_;
  Stopwatch watch_;
  TimeShares at_last_line_;
  std::int64_t examples_ = 0;  // since the last train line
};

}  // namespace lockstep
