#include "train/config/eval_split.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/error.h"
#include "train/config/schedules.h"

namespace lockstep {

Split evaluated_split(const Problem& problem, const TrainSettings& settings) {
  const bool dev = problem.count(Split::dev) > 0;
  const bool test = problem.count(Split::test) > 0;
  if (!settings.eval_use_test_set) return test && !dev ? Split::test : Split::dev;
  if (test) return Split::test;
  throw Error(ExitCode::missing_input,
              fmt::format("--eval_use_test_set: problem {} has no test split, only {}; leave the flag out",
                          settings.problem, dev ? "train and dev" : "train"),
              Scope::every_rank);
}

std::string describe_evaluated_split(const Problem& problem, const TrainSettings& settings) {
  const Split split = evaluated_split(problem, settings);
  const std::int64_t count = problem.count(split);
  if (!schedule_kind(settings.schedule).evaluates) {
    return fmt::format("nothing is evaluated, as --schedule={} says", settings.schedule);
  }
  if (count == 0) return "nothing is evaluated: there is neither a dev nor a test split";
  if (split == Split::dev) {
    const bool test = problem.count(Split::test) > 0;
    const char* const rest = test ? "; the test split is left for --eval_use_test_set" : "";
    if (!settings.holdout) return fmt::format("evaluating on the dev split{}", rest);
    return fmt::format("evaluating on the holdout, {} not trained on, as the dev split{}",
                       counted(count, "training sample"), rest);
  }
  if (settings.eval_use_test_set) return "evaluating on the test split, as --eval_use_test_set says";
  return "evaluating on the test split, because there is no dev split: if you choose settings or checkpoints by its "
         "figures, they no longer say how good the model is on new data. --holdout=0.1 evaluates on a tenth of the "
         "training split instead";
}

}  // namespace lockstep
