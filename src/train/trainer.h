#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/trace.h"
#include "collective/communicator.h"
#include "data/batch_plan.h"
#include "model/model.h"
#include "optim/schedule.h"
#include "train/evaluation/choose_best.h"
#include "train/output/events/variable_histograms.h"
#include "train/report.h"
#include "train/state/saver.h"
#include "train/step/requests.h"
#include "train/step/training_steps.h"
#include "train/strategy/averaged_weights.h"
#include "train/strategy/strategy.h"

namespace lockstep {

// The training loop of one rank: read, forward, backward, agree, update; evaluate; save; report. All parts are the
// caller's and outlive it; the state is a run's first or a restored one. COLLECTIVE: run(), on every rank with the same
// options.
class Trainer {
 public:
  struct Parts {
    Communicator& compute;
    Backend& backend;
    Trace& trace;
    const Problem& problem;
    Model& model;
    const ParameterStore& parameters;
    Strategy& strategy;
    const Schedule& schedule;
    const BatchPlan& plan;
    const BatchPlan& gradients;  // the batches that are read (RunPlan::gradients)
    Report& report;
    Requests& requests;
    BestChooser& chooser;
    AveragedWeights* averaged = nullptr;       // evaluated instead of the parameters; null: none
    Augmentation* augmentation = nullptr;      // changes training inputs; null: none
    Saver* saver = nullptr;                    // null: nothing is saved
    VariableHistograms* histograms = nullptr;  // the chief's; null: none are drawn
  };
  struct Options {
    std::int64_t train_steps = 0;     // last step; the first is the plan's from().step + 1
    std::int64_t eval_frequency = 0;  // steps between evaluations; 0: only at the end
    Split evaluated = Split::dev;
    bool evaluate_first = false;      // begins with an evaluation that was due when the run was interrupted
    std::int64_t save_frequency = 0;  // steps between saves; 0: only on request (the clock) and at the end
    std::int64_t eval_samples = std::numeric_limits<std::int64_t>::max();  // first samples of the split; 0: none
    std::int64_t histogram_every = 0;  // steps between histograms, also on ranks that draw none
    std::uint64_t seed = 1;
    int first_share = 0;  // first of this rank's strategy.shares() consecutive shares of a step
    bool graphs = false;  // steps run as graphs
  };

  Trainer(const Parts& parts, const Options& options);
  TrainOutcome run();

 private:
  Requests::Agreed meet_requests(const StepResult& result);
  void save(std::int64_t step);
  // Reports a step, and the saves that are durable now. made: the step of the gradients in the store.
  void report_step(const StepResult& result, std::int64_t made);
  // If results are late, waits for that of the last step made, and reports it.
  void settle(std::int64_t made) { report_step(steps_.finish(parts_.strategy), made); }
  // Waits for late results, and makes one model on all ranks. Returns the number of steps it has made.
  std::int64_t pause(std::int64_t step);
  void report_saves();
  void finish(TrainOutcome& outcome);
  bool can_evaluate() const { return parts_.problem.count(options_.evaluated) > 0 && options_.eval_samples > 0; }
  void evaluate(std::int64_t step);
  void keep_best(std::int64_t step);

  Parts parts_;
  Options options_;
  std::int64_t made_;                // steps before this start
  std::int64_t evaluated_step_ = 0;  // last step that was evaluated
  EvaluationResult evaluation_{};    // result of that evaluation
  TrainingSteps steps_;
};

}  // namespace lockstep
