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

}  // namespace

TEST_CASE("later steps and the end go, what was made stays") {
  const MetricsHistory history = cut_metrics(kTrain10 + kEval10 + kSaved10 + kEnd10 + kTrain20, 10, false);
  CHECK(history.kept == kTrain10 + kEval10 + kSaved10);
  CHECK(history.evaluated);
  CHECK(history.wall_seconds == 3.5);
}

TEST_CASE("how far the run had come, and whether it had said its end, counts before the cut") {
  const MetricsHistory killed = cut_metrics(kTrain10 + kSaved10 + kTrain20, 10, false);
  CHECK(killed.reached == 20);
  CHECK(!killed.ended);
  CHECK(cut_metrics(kTrain10 + kEnd10, 10, false).ended);
  CHECK(!cut_metrics(kTrain10 + kEnd10 + kTrain20, 10, false).ended);
}

TEST_CASE("a clock that stood at a whole second continues from there") {
  CHECK(cut_metrics("{\"kind\": \"train\", \"step\": 10, \"wall_seconds\": 8}\n", 10, false).wall_seconds == 8);
}

TEST_CASE("an evaluation that is made again goes, too") {
  const MetricsHistory history = cut_metrics(kTrain10 + kEval10 + kSaved10, 10, true);
  CHECK(history.kept == kTrain10 + kSaved10);
  CHECK(!history.evaluated);
}

TEST_CASE("an evaluation after an earlier step is none after this one") {
  CHECK(!cut_metrics(kEval10 + kTrain20, 20, true).evaluated);
  CHECK(cut_metrics(kEval10 + kTrain20, 20, true).kept == kEval10 + kTrain20);
}

TEST_CASE("a line that was cut off, and what is no line of ours, go") {
  CHECK(cut_metrics(kTrain10 + kTrain20.substr(0, 30), 99, false).kept == kTrain10);
  const std::string whole_but_open = kTrain20.substr(0, kTrain20.size() - 1);  // without the line end
  CHECK(cut_metrics(kTrain10 + whole_but_open, 99, false).kept == kTrain10);
  CHECK(cut_metrics("\n[]\n{\"kind\": 3}\n{\"kind\": \"train\", \"step\": 1.5}\n" + kTrain10, 99, false).kept ==
        kTrain10);
  CHECK(cut_metrics("", 99, false).kept.empty());
}

TEST_CASE("what no run has written is told from what a killed one leaves") {
  for (const std::string& ours : {std::string(), kTrain10 + kEval10, kTrain10 + kTrain20.substr(0, 30),
                                  kTrain20.substr(0, kTrain20.size() - 1), kEnd10}) {
    CAPTURE(ours);
    CHECK(!cut_metrics(ours, 10, true).foreign);
  }
  for (const std::string& others : {std::string(100, '\0'), std::string("\n"), kTrain10 + "[]\n",
                                    kTrain20.substr(0, 30) + "\n" + kTrain10, kTrain10 + "notes"}) {
    CAPTURE(others);
    CHECK(cut_metrics(others, 10, true).foreign);
  }
}

}  // namespace lockstep
