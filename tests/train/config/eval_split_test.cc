#include "train/config/eval_split.h"

#include <doctest/doctest.h>

#include "support/check_error.h"

namespace lockstep {
namespace {

class Splits final : public Problem {
 public:
  Splits(std::int64_t dev, std::int64_t test) : dev_(dev), test_(test) {}
  ProblemShape shape() const override { return {.input = {3}, .outputs = 2}; }
  std::int64_t count(Split split) const override {
    return split == Split::train ? 100 : split == Split::dev ? dev_ : test_;
  }
  void read(Split /*split*/, std::int64_t /*sample*/, const SampleSlot& /*slot*/) const override {}

 private:
  std::int64_t dev_;
  std::int64_t test_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("dev if there is one, test where there is nothing else or it is asked for, and a line says so") {
  TrainSettings plain;
  TrainSettings asked;
  asked.eval_use_test_set = true;
  CHECK(evaluated_split(Splits(7, 9), plain) == Split::dev);
  CHECK(describe_evaluated_split(Splits(7, 9), plain) ==
        "evaluating on the dev split; the test split is left for --eval_use_test_set");
  CHECK(evaluated_split(Splits(7, 0), plain) == Split::dev);
  CHECK(describe_evaluated_split(Splits(7, 0), plain) == "evaluating on the dev split");
  CHECK(evaluated_split(Splits(0, 9), plain) == Split::test);
  CHECK(has(describe_evaluated_split(Splits(0, 9), plain), "the test split, because there is no dev split"));
  CHECK(has(describe_evaluated_split(Splits(0, 9), plain), "--holdout=0.1"));
  CHECK(evaluated_split(Splits(7, 9), asked) == Split::test);
  CHECK(evaluated_split(Splits(0, 9), asked) == Split::test);
  CHECK(describe_evaluated_split(Splits(0, 9), asked) == "evaluating on the test split, as --eval_use_test_set says");
  CHECK(evaluated_split(Splits(0, 0), plain) == Split::dev);
  CHECK(describe_evaluated_split(Splits(0, 0), plain) ==
        "nothing is evaluated: there is neither a dev nor a test split");
  TrainSettings train_only;
  train_only.schedule = "train";
  CHECK(describe_evaluated_split(Splits(7, 9), train_only) == "nothing is evaluated, as --schedule=train says");

  TrainSettings held;
  held.holdout = 0.1;
  CHECK(describe_evaluated_split(Splits(11, 9), held) ==
        "evaluating on the holdout, 11 training samples not trained on, as the dev split; the test split is "
        "left for --eval_use_test_set");
}

TEST_CASE("a test split that is asked for and not there is refused with those that are") {
  TrainSettings settings;
  settings.eval_use_test_set = true;
  check_error(ExitCode::missing_input, {"--eval_use_test_set", "no test split, only train and dev"},
              [&] { evaluated_split(Splits(7, 0), settings); });
  check_error(ExitCode::missing_input, {"no test split, only train;"},
              [&] { evaluated_split(Splits(0, 0), settings); });
}

}  // namespace lockstep
