#include "train/evaluation/choose_best.h"

#include <doctest/doctest.h>

#include "support/check_error.h"

namespace lockstep {
namespace {

class Shaped final : public Problem {
 public:
  explicit Shaped(ProblemShape::Target target, std::int64_t outputs = 10, std::int64_t dev = 7)
      : target_(target), outputs_(outputs), dev_(dev) {}
  ProblemShape shape() const override { return {.input = {3}, .target = target_, .outputs = outputs_}; }
  std::int64_t count(Split split) const override { return split == Split::dev ? dev_ : 0; }
  void read(Split /*split*/, std::int64_t /*sample*/, const SampleSlot& /*slot*/) const override {}

 private:
  ProblemShape::Target target_;
  std::int64_t outputs_;
  std::int64_t dev_;
};

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
  const BestRules rules = best_rules({}, Shaped(kLabels), Split::dev);
  CHECK(describe(rules).empty());
  BestChooser chooser(rules);
  CHECK(!chooser.add(100, result_of(1, 0)));
  CHECK(!chooser.ends_run());
}

TEST_CASE("--keep_best chooses by its metric") {
  const BestRules rules = best_rules(keeping("accuracy"), Shaped(kLabels), Split::dev);
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
  const BestRules rules = best_rules(stopping(2), Shaped(kLabels), Split::dev);
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
  BestChooser by_accuracy(best_rules(both, Shaped(kLabels), Split::dev));
  CHECK(by_accuracy.add(100, result_of(0.5, 1)));
  CHECK(by_accuracy.add(200, result_of(0.6, 2)));
  CHECK(!by_accuracy.ends_run());
  CHECK(!by_accuracy.add(300, result_of(0.6, 0)));
  CHECK(by_accuracy.ends_run());
}

TEST_CASE("what was chosen before a start goes on") {
  const BestRules rules = best_rules(stopping(2), Shaped(kLabels), Split::dev);
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
                          const Shaped& problem) {
    check_error(ExitCode::configuration, parts, [&] { best_rules(settings, problem, Split::dev); });
  };
  refused({"--keep_best=accuracy", "targets are numbers", "mean_squared_error, mean_absolute_error, loss"},
          keeping("accuracy"), Shaped(kNumbers, 2));
  refused({"--keep_best=mean_squared_error", "targets are class labels", "accuracy, top5_accuracy, loss"},
          keeping("mean_squared_error"), Shaped(kLabels));
  refused({"--keep_best=top5_accuracy", "of 5 classes", "accuracy, loss"}, keeping("top5_accuracy"),
          Shaped(kLabels, 5));
  refused({"--keep_best=loss:", "neither a dev nor a test split", "--holdout=0.1"}, keeping("loss"),
          Shaped(kLabels, 10, 0));
  refused({"--early_stop=3:", "--holdout=0.1"}, stopping(3), Shaped(kLabels, 10, 0));
  TrainSettings train_only = stopping(3);
  train_only.schedule = "train";
  refused({"--early_stop=3 chooses by evaluations", "--schedule=train makes none"}, train_only, Shaped(kLabels));
  TrainSettings settings = stopping(3);
  settings.eval_frequency = 0;
  refused({"--early_stop=3 needs evaluations on the way", "--local_eval_frequency=0"}, settings, Shaped(kLabels));
}

}  // namespace lockstep
