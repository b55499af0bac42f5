#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "collective/control_values.h"
#include "data/batch_plan.h"
#include "tensor/flat_range.h"
#include "train/strategy/strategy_account.h"

namespace lockstep {

// A request to stop that has reached a rank with which this one exchanges none (train/step/requests.h).
struct StopElsewhere {
  int rank = 0;    // of the job
  int signal = 0;  // 0: it was no signal
};

// Result of a step. If results are late (Strategy::results_are_late()), finish_step() gives those of the step before,
// and only the requests of its own step.
struct StepResult {
  std::int64_t step = 0;      // step of this result; 0: none yet
  std::int64_t requests = 0;  // requests in the finished step, over all ranks
  std::optional<StopElsewhere> stop_elsewhere{};
  ControlValues sums;        // sums over all ranks, or this rank's own if local
  double gradient_norm = 0;  // norm of the mean gradient, before it was clipped
  // Turns the store's gradients, which are sums, into what the optimizer was given: the mean, clipped.
  double gradient_factor = 0;
  bool local = false;      // replicas differ until the next meeting: these are this replica's own
  std::int64_t steps = 1;  // number of steps that `sums` are of, up to `step`; others than 1 if steps are handed out
};

struct StateArrays;  // checkpoint/state.h

// The form of the optimizer's state in a checkpoint's arrays.
enum class SavedSlots {
  one_state,         // StateArrays::slots
  each_replicas_own  // StateArrays::replicas, as many as replica_states()
};

// The way in which the replicas of one model agree: the only place that knows when something is exchanged. Works on
// flat ranges of a ParameterStore; knows no layer and no file.
//
// A step, on every rank: begin_step(); for each share of the batch this rank has (shares(), in order) add_share()
// with the sums of its forward pass, then a backward pass that calls on_gradient_ready() from the end of the store to
// its start; finish_step(). One thread. COLLECTIVE: every rank calls all of it, in the same order; a share may be
// empty.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // A text for the start-up lines: "gradients are summed over mpi in buckets of 4 MB, each as soon as ...".
  virtual std::string description() const = 0;

  // Gives every replica the chief's initial values. Not called if a run resumes, whose replicas have the checkpoint's.
  virtual void start() = 0;

  // Returns whether every rank makes each step, together with the others. Else steps are handed out, each to one rank,
  // and next_step() says which.
  virtual bool steps_in_order() const { return true; }
  // The step that this rank makes after `last`, which is also the number of its batch; waits until there is one to
  // make. Nothing: no rank has a step left to make.
  virtual std::optional<std::int64_t> next_step(std::int64_t last) { return last + 1; }
  // The number of steps that the ranks have made so far, as this rank knows, after its own step `last`.
  virtual std::int64_t steps_made(std::int64_t last) const { return last; }
  // Makes every rank's next_step() end.
  virtual void end_steps() {}
  // The position in the data after `step`, for a checkpoint. gradients: RunPlan::gradients. REQUIRES: replicas_equal().
  virtual BatchCursor cursor(const BatchPlan& gradients, std::int64_t step) const { return gradients.cursor(step); }
  // Numbers for a line of metrics.jsonl, beyond those that every run has: of the time since the last call, or counts.
  virtual Json::Object progress() { return {}; }
  // The strategy's account of the run, for its end. To be called after the last meeting.
  virtual StrategyAccount account() const { return {}; }

  // Shares of this rank in a step; 0 on a rank that computes nothing.
  virtual int shares() const = 0;
  // Begins a step. requests: 1 if this rank asks something of all (train/step/requests.h) and has no share that could
  // say so, else 0.
  virtual void begin_step(std::int64_t step, std::int64_t requests) = 0;
  // Adds loss, weight and requests of a share, before its first range is ready. If results are late, the loss is that
  // of the same share of the step before.
  virtual void add_share(const ControlValues& share) = 0;
  virtual void on_gradient_ready(FlatRange range) = 0;
  // Waits for the exchange under way, divides by the weight, applies the optimizer, meets if a meeting is due. Throws
  // Error(internal) naming tensor and step if the loss or a gradient is not finite.
  virtual StepResult finish_step(double learning_rate) = 0;

  // Returns whether the host does not wait in a step for a device, so that losses and norms are known a step later.
  virtual bool results_are_late() const { return false; }
  // If results are late, the result of the last step, for which the host waits; if steps are handed out, that of steps
  // of other ranks which no finish_step() has told, if there are any. loss: that of this rank's shares. Throws as
  // finish_step() does. REQUIRES: after finish_step().
  virtual StepResult finish_last(double /*loss*/) { return {}; }

  // Returns whether all replicas are equal now.
  virtual bool replicas_equal() const = 0;
  // Returns whether the run may be saved, evaluated or stopped after this step; the same on every rank. If the replicas
  // differ then, meet() comes first, which must not change what later steps compute.
  virtual bool can_pause() const = 0;
  // Makes the replicas equal, for a pause or for the end.
  virtual void meet() = 0;
  // Returns whether meet() brings the average of --ema, which others have moved. Else it is to be moved after every
  // step that leaves the replicas equal, and after meet().
  virtual bool brings_average() const { return false; }

  // The number of optimizer states that a checkpoint keeps one by one, because each replica has its own, even when the
  // parameters are equal; 0: they share one. The answer holds for the whole run.
  virtual int replica_states() const = 0;
  // Copies the optimizer's state, wherever this strategy has it, to the chief's arrays, and back to all ranks
  // (train/strategy/slot_copy.h has the usual ways). The parameters, which are equal, are left to the caller.
  // COLLECTIVE.
  virtual void copy_state(StateArrays& arrays) const = 0;
  virtual void restore_state(StateArrays& arrays, SavedSlots saved) const = 0;
};

}  // namespace lockstep
