#include "train/evaluation/choose_best.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/error.h"
#include "train/config/schedules.h"

namespace lockstep {
namespace {

[[noreturn]] void refuse_choice(const std::string& why) {
  throw Error(ExitCode::configuration, why, Scope::every_rank);
}

// The flags as text: "--keep_best=accuracy and --early_stop=3".
std::string flags_of(const TrainSettings& settings) {
  const std::string keep = settings.keep_best.empty() ? "" : fmt::format("--keep_best={}", settings.keep_best);
  const std::string stop = settings.early_stop ? fmt::format("--early_stop={}", *settings.early_stop) : "";
  return keep + (keep.empty() || stop.empty() ? "" : " and ") + stop;
}

// The metrics to choose from, as text: "accuracy, loss".
std::string metrics_of(const ProblemShape& shape) {
  std::string names;
  for (const Metric& metric : kMetrics) {
    if (metric.measures(shape) && metric.of_more_than < shape.outputs)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", metric.name);
  }
  return names;
}

void check_metric(const Metric& metric, const ProblemShape& shape) {
  if (!metric.measures(shape)) {
    const char* const targets = shape.target == ProblemShape::Target::real ? "numbers" : "class labels";
    refuse_choice(fmt::format("--keep_best={}: the problem's targets are {}, which it does not measure; take one of {}",
                              metric.name, targets, metrics_of(shape)));
  }
  if (metric.of_more_than >= shape.outputs) {
    refuse_choice(fmt::format("--keep_best={}: of {} it is always the same; take one of {}", metric.name,
                              counted(shape.outputs, "class", "classes"), metrics_of(shape)));
  }
}

}  // namespace

BestRules best_rules(const TrainSettings& settings, const Problem& problem, Split evaluated) {
  if (settings.keep_best.empty() && !settings.early_stop) return {};
  const Metric* const metric = find_metric(settings.keep_best.empty() ? "loss" : settings.keep_best);
  LS_CHECK(metric != nullptr, "a metric that the table of settings does not offer");
  check_metric(*metric, problem.shape());
  if (!schedule_kind(settings.schedule).evaluates) {
    refuse_choice(fmt::format("{} chooses by evaluations, and --schedule={} makes none; leave one of the two out",
                              flags_of(settings), settings.schedule));
  }
  if (problem.count(evaluated) == 0) {
    refuse_choice(
        fmt::format("{}: the problem has neither a dev nor a test split to evaluate; hold out a share of the "
                    "training split: --holdout=0.1",
                    flags_of(settings)));
  }
  if (settings.early_stop && settings.eval_frequency == 0) {
    refuse_choice(
        fmt::format("--early_stop={} needs evaluations on the way, and --local_eval_frequency=0 makes one at "
                    "the end only; give another number, or leave one of the two out",
                    *settings.early_stop));
  }
  return {.metric = metric,
          .split = evaluated,
          .keeps_best = !settings.keep_best.empty(),
          .patience = settings.early_stop.value_or(0)};
}

bool BestChooser::add(std::int64_t step, const EvaluationResult& result) {
  if (rules_.metric == nullptr) return false;
  const double value = result[rules_.metric->name].mean;
  past_.all.add(step, value, rules_.metric->better);
  return past_.kept.add(step, value, rules_.metric->better) && rules_.keeps_best;
}

BestNote BestChooser::note() const {
  return {.metric = std::string(rules_.metric->name),
          .value = past_.kept.value,
          .step = past_.kept.step,
          .split = name(rules_.split)};
}

std::string BestChooser::why() const {
  const std::string best = past_.all.step == 0
                               ? "none was finite"
                               : fmt::format("the best was {:.5f} after step {}", past_.all.value, past_.all.step);
  return fmt::format("{} without gain in the {} on the {} split; {}", counted(past_.all.without_gain, "evaluation"),
                     rules_.metric->name, name(rules_.split), best);
}

std::string describe(const BestRules& rules) {
  std::string text;
  if (rules.keeps_best)
    text =
        fmt::format("the best step by the {} on the {} split is kept in best/", rules.metric->name, name(rules.split));
  if (rules.patience == 0) return text;
  return text + fmt::format("{}the run ends early after {} without gain in the {}", text.empty() ? "" : "; ",
                            counted(rules.patience, "evaluation"), rules.metric->name);
}

}  // namespace lockstep
