#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/best_folder.h"
#include "data/problem.h"
#include "train/config/settings.h"
#include "train/evaluation/best_so_far.h"
#include "train/evaluation/evaluation.h"

namespace lockstep {

// Rules by which a run chooses among its steps.
struct BestRules {
  const Metric* metric = nullptr;  // null: the run does not choose
  Split split = Split::dev;        // the split that is evaluated
  bool keeps_best = false;         // keeps the best step in best/
  std::int64_t patience = 0;  // evaluations without gain after which the run ends; 0: it continues to its last step
};

// The rules from --keep_best and --early_stop; the latter goes by the loss unless --keep_best names another metric.
// Throws Error(configuration) of every rank for a metric that this problem's targets do not have or that is always the
// same, if nothing is evaluated, and for an --early_stop without evaluations before the end. Pure.
BestRules best_rules(const TrainSettings& settings, const Problem& problem, Split evaluated);

// The choice made before a start, by the evaluations up to the step that it resumes from.
struct PastChoice {
  BestSoFar all{};   // by all of them
  BestSoFar kept{};  // by those whose step still has a checkpoint
};

// Follows a run's evaluations and says which step is the best and when to end. Every rank has one, and all say the
// same, because an evaluation gives all ranks the same result. Local.
class BestChooser {
 public:
  explicit BestChooser(const BestRules& rules, const PastChoice& past = {}) : rules_(rules), past_(past) {}

  // Counts an evaluation. Returns whether that step is to be kept as the best one.
  bool add(std::int64_t step, const EvaluationResult& result);
  // The step that is kept as the best one; 0: none.
  std::int64_t kept_step() const { return rules_.keeps_best ? past_.kept.step : 0; }
  // The content of best.json. REQUIRES: add() returned true for the last evaluation.
  BestNote note() const;

  // Returns whether the run ends here, after too many evaluations without gain.
  bool ends_run() const { return rules_.patience > 0 && past_.all.without_gain >= rules_.patience; }
  // The reason: "3 evaluations without gain in the loss on the dev split; the best was 0.21370 after step 800".
  std::string why() const;

 private:
  BestRules rules_;
  PastChoice past_;  // including the evaluations since
};

// Describes the rules in a line for the log; "" if the run does not choose.
std::string describe(const BestRules& rules);

}  // namespace lockstep
