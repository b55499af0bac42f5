#include "train/output/run_summary.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

using Lines = std::vector<std::string>;

const RunCosts kCosts{
    .shares = {.data = 0.011, .compute = 0.7, .communication = 0.2, .evaluation = 0.05, .saving = 0.02},
    .waiting = 0.12,
    .peak_memory_bytes = 1'234'000'000};

}  // namespace

TEST_CASE("a summary has rate, time, memory, and which evaluation was the best") {
  RunSummary summary{.examples_per_second = 34210.4,
                     .costs = kCosts,
                     .evaluations = 3,
                     .best = {.step = 900, .metric = "accuracy 96.50 %"},
                     .last = {.step = 1000, .metric = "accuracy 96.43 %"}};
  CHECK(
      describe(summary) ==
      Lines{"34,210 samples/s on average; time: data 1 %, compute 70 %, communication 20 % (at least 12 % waiting for "
            "slower ranks), evaluation 5 %, saving 2 %",
            "peak memory at most 1,234 MB per rank",
            "best of 3 evaluations: accuracy 96.50 % after step 900; last: accuracy 96.43 % after step 1000"});
  summary.best = summary.last;
  CHECK(describe(summary).back() == "best of 3 evaluations: accuracy 96.43 % after step 1000, the last");
  summary.best = {};  // no evaluation gave a finite number
  CHECK(!describe(summary).back().starts_with("best of"));
}

TEST_CASE("a summary does not make up what there was not") {
  CHECK(describe(RunSummary{}).empty());
  CHECK(describe(RunSummary{.examples_per_second = 1, .evaluations = 1}) ==
        Lines{"1 samples/s on average; time: data 0 %, compute 0 %, communication 0 %, evaluation 0 %, saving 0 %"});
}

TEST_CASE("the last lines say where things lie and what to type") {
  RunFiles files{.output_dir = "a run",
                 .next_commands = {"lockstep report 'a run'", "train x"},
                 .newest = "model.ckpt-9.h5",
                 .best = "best/model.ckpt-6.h5"};
  CHECK(describe(files) ==
        Lines{"in a run: model.ckpt-9.h5 (the newest checkpoint), best/model.ckpt-6.h5 (the best), metrics.jsonl, "
              "config.json, log/",
              "next: lockstep report 'a run'", "  or: train x"});
  files.best.clear();
  CHECK(describe(files).front() ==
        "in a run: model.ckpt-9.h5 (the newest checkpoint), metrics.jsonl, config.json, log/");
  CHECK(describe(RunFiles{.output_dir = "RUN"}) == Lines{"in RUN: metrics.jsonl, config.json, log/"});
  CHECK(describe(RunFiles{}) == Lines{"nothing was written; with --output_dir=RUN the same command keeps its model"});
}

}  // namespace lockstep
