#include "launch/flags/merge_flags.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

#include "support/check_error.h"

namespace lockstep {
namespace {

using Flags = std::map<std::string, std::string>;

FlagsOwner chief(Flags flags, std::string config = "") {
  return {.given = {.flags = std::move(flags), .config = std::move(config)}, .who = "rank 0 (chief, a)"};
}

FlagsOwner worker(Flags flags, std::string config = "") {
  return {.given = {.flags = std::move(flags), .config = std::move(config)}, .who = "rank 2 (worker 1, b)"};
}

Flags merged(const FlagsOwner& first, const FlagsOwner& process) { return merge_flags(first, process).flags; }

TEST_CASE("flags of processes as texts") {
  for (const GivenFlags& given :
       {GivenFlags{}, GivenFlags{.flags = {{"hparams", ""}, {"model", "a b\n"}}, .config = "{\n\"x\": 1}\n"}}) {
    CHECK(given_flags(to_text(given)) == given);
  }
}

TEST_CASE("merged flags: what a process does not give comes from the chief") {
  CHECK(merged(chief({{"train_steps", "5"}, {"hparams", "a=1"}, {"device", "cpu"}}), worker({})) ==
        Flags{{"train_steps", "5"}, {"hparams", "a=1"}, {"device", "cpu"}});
  CHECK(merged(chief({{"schedule", "train"}, {"sync", "true"}}), worker({{"schedule", "run_std_server"}})) ==
        Flags{{"schedule", "train"}, {"sync", "true"}});
  CHECK(merged(chief({}), worker({{"schedule", "run_std_server"}})).empty());
}

TEST_CASE("merged flags: a task's own hold for it, and each process has some to itself") {
  CHECK(merged(chief({{"data_dir", "x"}, {"device", "cpu"}}), worker({{"data_dir", "y"}})) ==
        Flags{{"data_dir", "y"}, {"device", "cpu"}});
  CHECK(merged(chief({{"worker_id", "0"}, {"worker_gpu", "0"}, {"quiet", "true"}, {"master", "m"}}),
               worker({{"worker_id", "1"}})) == Flags{{"worker_id", "1"}});
}

TEST_CASE("merged flags: a file of flags goes with the flag that names it") {
  const FlagsOwner first = chief({{"config", "c.json"}}, "{}");
  CHECK(merge_flags(first, worker({})) == first.given);
  CHECK(merge_flags(first, worker({{"config", "mine.json"}}, "{ }")).config == "{ }");
}

TEST_CASE("merged flags: two values for the whole job are refused, with both and whose they are") {
  check_error(ExitCode::configuration, {"--train_steps is '5' on rank 0 (chief, a) and '7' on rank 2 (worker 1, b)"},
              [] {
                merged(chief({{"train_steps", "5"}}), worker({{"train_steps", "7"}}));
              });
  check_error(ExitCode::configuration, {"--exact is not given on rank 0 (chief, a) and 'true' on rank 2"}, [] {
    merged(chief({}), worker({{"exact", "true"}}));
  });
  check_error(ExitCode::configuration, {"--schedule is 'evaluate' on", "and 'train' on"}, [] {
    merged(chief({{"schedule", "evaluate"}}), worker({{"schedule", "train"}}));
  });
}

TEST_CASE("merged flags: two ways to write a value, and a default that is written out, are no difference") {
  CHECK_NOTHROW(merged(chief({{"stop_after", "10m"}}), worker({{"stop_after", "600"}})));
  CHECK_NOTHROW(merged(chief({{"fusion_mb", "4"}}), worker({{"fusion_mb", "4.0"}})));
  CHECK_NOTHROW(merged(chief({}), worker({{"local_eval_frequency", "1000"}})));
  CHECK_NOTHROW(merged(chief({}), worker({{"exact", "false"}})));
  CHECK_NOTHROW(merged(chief({}), worker({{"print_hparams", "false"}, {"xla_jit_level", "-1"}})));
  CHECK_NOTHROW(merged(chief({{"worker_replicas", "1"}}), worker({{"sync", "false"}})));
}

TEST_CASE("merged flags: the chief has to say what is done") {
  check_error(ExitCode::configuration, {"--schedule=run_std_server on rank 0 (chief, a)", "--schedule=train"}, [] {
    const FlagsOwner first = chief({{"schedule", "run_std_server"}});
    merge_flags(first, first);
  });
}

TEST_CASE("merged flags: an evaluator follows, with flags that may be others") {
  FlagsOwner evaluator = worker({{"eval_split", "test"}, {"schedule", "continuous_train_and_eval"}});
  evaluator.evaluates = true;
  const FlagsOwner first =
      chief({{"output_dir", "d"}, {"schedule", "train"}, {"eval_split", "dev"}, {"overwrite", ""}});
  CHECK(merged(first, evaluator) ==
        Flags{{"eval_split", "test"}, {"output_dir", "d"}, {"schedule", "continuous_eval"}});
  evaluator.given.flags["schedule"] = "continuous_eval_on_train_data";
  CHECK(merged(first, evaluator).at("schedule") == "continuous_eval_on_train_data");
}

TEST_CASE("merged flags: the evaluators of a world have those of the first") {
  FlagsOwner first = worker({{"schedule", "train"}, {"eval_split", "test"}});
  first.evaluates = true;
  first.given = merge_flags(chief({{"output_dir", "d"}}), first);
  FlagsOwner second{.given = {}, .who = "rank 1 (evaluator 1, c)", .evaluates = true};
  const Flags same{{"eval_split", "test"}, {"output_dir", "d"}, {"schedule", "continuous_eval"}};
  CHECK(merged(first, second) == same);
  second.given.flags = {{"schedule", "train"}, {"output_dir", "d"}, {"quiet", "true"}};
  CHECK(merged(first, second).at("schedule") == "continuous_eval");
  second.given.flags = {{"schedule", "evaluate"}};
  check_error(ExitCode::configuration,
              {"--schedule is 'continuous_eval' on rank 2 (worker 1, b) and 'evaluate' on rank 1 (evaluator 1, c)"},
              [&] { merged(first, second); });
  // A process alone in its job has no chief.
  first.given.flags = {{"schedule", "run_std_server"}, {"output_dir", "d"}};
  CHECK(merged({}, first) == Flags{{"output_dir", "d"}, {"schedule", "continuous_eval"}});
}

TEST_CASE("a flag's value is the command line's, else the file's") {
  const GivenFlags given{.flags = {{"config", "c.json"}, {"model", "mlp"}},
                         .config = R"({"model": "linear", "output_dir": "d"})"};
  CHECK(given_value(given, "model") == "mlp");
  CHECK(given_value(given, "output_dir") == "d");
  CHECK_FALSE(given_value(given, "problem").has_value());
  CHECK_FALSE(given_value({}, "model").has_value());
}

}  // namespace
}  // namespace lockstep
