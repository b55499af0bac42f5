#include "train/evaluation/choose_best.h"

#include <doctest/doctest.h>

#include "support/check_error.h"
#include "support/given_problem.h"

namespace lockstep {
namespace {

GivenProblem shaped(ProblemShape::Target target, std::int64_t outputs = 10, std::int64_t dev = 7) {
  return GivenProblem({.shape = {.input = {3}, .target = target, .outputs = outputs}, .dev = dev});
}

constexpr auto kLabels = ProblemShape::Target::class_label;
constexpr auto kNumbers = ProblemShape::Target::real;

TrainSettings keeping(const std::string& metric) {
  TrainSettings settings;
  settings.keep_best = metric;
  return settings;
}

TrainSettings stopping(std::int64_t patience) {
  TrainSettings settings;
  settings.early_stop = patience;
  return settings;
}

EvaluationResult result_of(double accuracy, double loss) {
  return {
      .samples = 4,
      .outputs = 10,
      .values = {{.metric = find_metric("accuracy"), .mean = accuracy}, {.metric = find_metric("loss"), .mean = loss}}};
}

}  // namespace

TEST_CASE("a run that is not asked to does not choose") {
  const BestRules rules = best_rules({}, shaped(kLabels), Split::dev);
  CHECK(describe(rules).empty());
  BestChooser chooser(rules);
  CHECK(!chooser.add(100, result_of(1, 0)));
  CHECK(!chooser.ends_run());
}

TEST_CASE("--keep_best chooses by its metric") {
  const BestRules rules = best_rules(keeping("accuracy"), shaped(kLabels), Split::dev);
  CHECK(describe(rules) == "the best step by the accuracy on the dev split is kept in best/");
  BestChooser chooser(rules);
  CHECK(chooser.add(100, result_of(0.5, 1)));
  CHECK(!chooser.add(200, result_of(0.5, 0.5)));
  CHECK(chooser.add(300, result_of(0.75, 2)));
  const BestNote note = chooser.note();
  CHECK(note.metric == "accuracy");
  CHECK(note.value == 0.75);
  CHECK(note.step == 300);
  CHECK(note.split == "dev");
  CHECK(!chooser.ends_run());
}

TEST_CASE("--early_stop ends after so many evaluations without gain, in the loss or in the metric that is kept") {
  const BestRules rules = best_rules(stopping(2), shaped(kLabels), Split::dev);
  CHECK(describe(rules) == "the run ends early after 2 evaluations without gain in the loss");
  BestChooser chooser(rules);
  CHECK(!chooser.add(100, result_of(0, 1)));  // the best, but not kept
  CHECK(!chooser.add(200, result_of(1, 2)));
  CHECK(!chooser.ends_run());
  CHECK(!chooser.add(300, result_of(2, 1)));
  CHECK(chooser.ends_run());
  CHECK(chooser.why() ==
        "2 evaluations without gain in the loss on the dev split; the best was 1.00000 after step 100");

  TrainSettings both = stopping(1);
  both.keep_best = "accuracy";
  BestChooser by_accuracy(best_rules(both, shaped(kLabels), Split::dev));
  CHECK(by_accuracy.add(100, result_of(0.5, 1)));
  CHECK(by_accuracy.add(200, result_of(0.6, 2)));
  CHECK(!by_accuracy.ends_run());
  CHECK(!by_accuracy.add(300, result_of(0.6, 0)));
  CHECK(by_accuracy.ends_run());
}

TEST_CASE("what was chosen before a start goes on") {
  const BestRules rules = best_rules(stopping(2), shaped(kLabels), Split::dev);
  PastChoice past;
  past.all = {.step = 100, .value = 1, .last_step = 200, .without_gain = 1};
  BestChooser chooser(rules, past);
  CHECK(!chooser.ends_run());
  chooser.add(200, result_of(0, 9));  // already counted
  CHECK(!chooser.ends_run());
  chooser.add(300, result_of(0, 9));
  CHECK(chooser.ends_run());
}

TEST_CASE("rules that cannot be kept are refused with the cure") {
  const auto refused = [](std::initializer_list<std::string> parts, const TrainSettings& settings,
                          const Problem& problem) {
    check_error(ExitCode::configuration, parts, [&] { best_rules(settings, problem, Split::dev); });
  };
  refused({"--keep_best=accuracy", "targets are numbers", "mean_squared_error, mean_absolute_error, loss"},
          keeping("accuracy"), shaped(kNumbers, 2));
  refused({"--keep_best=mean_squared_error", "targets are class labels", "accuracy, top5_accuracy, loss"},
          keeping("mean_squared_error"), shaped(kLabels));
  refused({"--keep_best=top5_accuracy", "of 5 classes", "accuracy, loss"}, keeping("top5_accuracy"),
          shaped(kLabels, 5));
  refused({"--keep_best=loss:", "neither a dev nor a test split", "--holdout=0.1"}, keeping("loss"),
          shaped(kLabels, 10, 0));
  refused({"--early_stop=3:", "--holdout=0.1"}, stopping(3), shaped(kLabels, 10, 0));
  TrainSettings train_only = stopping(3);
  train_only.schedule = "train";
  refused({"--early_stop=3 chooses by evaluations", "--schedule=train makes none"}, train_only, shaped(kLabels));
  TrainSettings settings = stopping(3);
  settings.eval_frequency = 0;
  refused({"--early_stop=3 needs evaluations on the way", "--local_eval_frequency=0"}, settings, shaped(kLabels));
}

}  // namespace lockstep
