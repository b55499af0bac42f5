#include "train/output/metrics_history.h"

#include <doctest/doctest.h>

namespace lockstep {
namespace {

const std::string kTrain10 = R"({"kind": "train", "step": 10, "wall_seconds": 1.5, "loss": 2})"
                             "\n";
const std::string kEval10 = R"({"kind": "eval", "step": 10, "wall_seconds": 2.5, "split": "test"})"
                            "\n";
const std::string kSaved10 = R"({"kind": "event", "step": 10, "wall_seconds": 3.5, "event": "saved"})"
                             "\n";
const std::string kTrain20 = R"({"kind": "train", "step": 20, "wall_seconds": 4.5, "loss": 1})"
                             "\n";
const std::string kEnd10 = R"({"kind": "end", "step": 10, "wall_seconds": 5.5})"
                           "\n";

// A run of 100 steps that resumes after that one, with a train line every ten.
ResumedRun at(std::int64_t step) { return {.step = step, .train_steps = 100, .log_every = 10}; }
ResumedRun again(std::int64_t step) {
  ResumedRun run = at(step);
  run.evaluates_again = true;
  return run;
}

}  // namespace

TEST_CASE("later steps and the end go, what was made stays") {
  const MetricsHistory history = cut_metrics(kTrain10 + kEval10 + kSaved10 + kEnd10 + kTrain20, at(10));
  CHECK(history.kept == kTrain10 + kEval10 + kSaved10);
  CHECK(history.evaluated);
  CHECK(history.wall_seconds == 3.5);
}

TEST_CASE("how far the run had come, and whether it had said its end, counts before the cut") {
  const MetricsHistory killed = cut_metrics(kTrain10 + kSaved10 + kTrain20, at(10));
  CHECK(killed.reached == 20);
  CHECK(!killed.ended);
  CHECK(cut_metrics(kTrain10 + kEnd10, at(10)).ended);
  CHECK(!cut_metrics(kTrain10 + kEnd10 + kTrain20, at(10)).ended);
}

TEST_CASE("the train line of a shorter run's last step goes where a longer one has none") {
  const std::string first = R"({"kind": "train", "step": 1, "wall_seconds": 1, "loss": 3})"
                            "\n";
  const auto kept = [&](const ResumedRun& run) { return cut_metrics(first + kTrain10 + kEval10, run).kept; };
  CHECK(kept({.step = 10, .train_steps = 100, .log_every = 10}) == first + kTrain10 + kEval10);
  CHECK(kept({.step = 10, .train_steps = 100, .log_every = 7}) == first + kEval10);
  CHECK(kept({.step = 10, .train_steps = 100, .log_every = 0}) == first + kEval10);
  CHECK(kept({.step = 10, .train_steps = 10, .log_every = 7}) == first + kTrain10 + kEval10);  // finished
  CHECK(kept({.step = 10, .train_steps = 5, .log_every = 7}) == first + kTrain10 + kEval10);   // beyond what is asked
  CHECK(kept({.step = 1, .train_steps = 100, .log_every = 7}) == first);
}

TEST_CASE("a clock that stood at a whole second continues from there") {
  CHECK(cut_metrics("{\"kind\": \"train\", \"step\": 10, \"wall_seconds\": 8}\n", at(10)).wall_seconds == 8);
}

TEST_CASE("an evaluation that is made again goes, too") {
  const MetricsHistory history = cut_metrics(kTrain10 + kEval10 + kSaved10, again(10));
  CHECK(history.kept == kTrain10 + kSaved10);
  CHECK(!history.evaluated);
}

TEST_CASE("an evaluation after an earlier step is none after this one") {
  CHECK(!cut_metrics(kEval10 + kTrain20, again(20)).evaluated);
  CHECK(cut_metrics(kEval10 + kTrain20, again(20)).kept == kEval10 + kTrain20);
}

TEST_CASE("a line that was cut off, and what is no line of ours, go") {
  CHECK(cut_metrics(kTrain10 + kTrain20.substr(0, 30), at(99)).kept == kTrain10);
  const std::string whole_but_open = kTrain20.substr(0, kTrain20.size() - 1);  // without its line end
  CHECK(cut_metrics(kTrain10 + whole_but_open, at(99)).kept == kTrain10);
  CHECK(cut_metrics("\n[]\n{\"kind\": 3}\n{\"kind\": \"train\", \"step\": 1.5}\n" + kTrain10, at(99)).kept == kTrain10);
  CHECK(cut_metrics("", at(99)).kept.empty());
}

TEST_CASE("what no run has written is told from what a killed one leaves") {
  for (const std::string& ours : {std::string(), kTrain10 + kEval10, kTrain10 + kTrain20.substr(0, 30),
                                  kTrain20.substr(0, kTrain20.size() - 1), kEnd10}) {
    CAPTURE(ours);
    CHECK(!cut_metrics(ours, again(10)).foreign);
  }
  for (const std::string& others : {std::string(100, '\0'), std::string("\n"), kTrain10 + "[]\n",
                                    kTrain20.substr(0, 30) + "\n" + kTrain10, kTrain10 + "notes"}) {
    CAPTURE(others);
    CHECK(cut_metrics(others, again(10)).foreign);
  }
}

}  // namespace lockstep
