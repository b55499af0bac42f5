#include "train/config/eval_split.h"

#include <doctest/doctest.h>

#include "support/check_error.h"
#include "support/given_problem.h"

namespace lockstep {
namespace {

GivenProblem splits(std::int64_t dev, std::int64_t test) {
  return GivenProblem({.train = 100, .dev = dev, .test = test});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("dev if there is one, test where there is nothing else or it is asked for, and a line says so") {
  TrainSettings plain;
  TrainSettings asked;
  asked.eval_use_test_set = true;
  CHECK(evaluated_split(splits(7, 9), plain) == Split::dev);
  CHECK(describe_evaluated_split(splits(7, 9), plain) ==
        "evaluating on the dev split; the test split is left for --eval_use_test_set");
  CHECK(evaluated_split(splits(7, 0), plain) == Split::dev);
  CHECK(describe_evaluated_split(splits(7, 0), plain) == "evaluating on the dev split");
  CHECK(evaluated_split(splits(0, 9), plain) == Split::test);
  CHECK(has(describe_evaluated_split(splits(0, 9), plain), "the test split, because there is no dev split"));
  CHECK(has(describe_evaluated_split(splits(0, 9), plain), "--holdout=0.1"));
  CHECK(evaluated_split(splits(7, 9), asked) == Split::test);
  CHECK(evaluated_split(splits(0, 9), asked) == Split::test);
  CHECK(describe_evaluated_split(splits(0, 9), asked) == "evaluating on the test split, as --eval_use_test_set says");
  CHECK(evaluated_split(splits(0, 0), plain) == Split::dev);
  CHECK(describe_evaluated_split(splits(0, 0), plain) ==
        "nothing is evaluated: there is neither a dev nor a test split");
  TrainSettings train_only;
  train_only.schedule = "train";
  CHECK(describe_evaluated_split(splits(7, 9), train_only) == "nothing is evaluated, as --schedule=train says");

  TrainSettings held;
  held.holdout = 0.1;
  CHECK(describe_evaluated_split(splits(11, 9), held) ==
        "evaluating on the holdout, 11 training samples not trained on, as the dev split; the test split is "
        "left for --eval_use_test_set");
}

TEST_CASE("a test split that is asked for and not there is refused with those that are") {
  TrainSettings settings;
  settings.eval_use_test_set = true;
  check_error(ExitCode::missing_input, {"--eval_use_test_set", "no test split, only train and dev"},
              [&] { evaluated_split(splits(7, 0), settings); });
  check_error(ExitCode::missing_input, {"no test split, only train;"},
              [&] { evaluated_split(splits(0, 0), settings); });
}

}  // namespace lockstep
