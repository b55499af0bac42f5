#include "train/saved/evaluation_record.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace lockstep {
namespace {

std::string line(std::int64_t step, const char* checksum, const char* split = "dev", double wall_seconds = 1) {
  return fmt::format(R"({{"kind": "eval", "step": {}, "wall_seconds": {}, "split": "{}", "loss": 0.5, )"
                     R"("checksum": "{}", "weights": "plain"}})",
                     step, wall_seconds, split, checksum);
}

}  // namespace

TEST_CASE("evaluation record: what was evaluated, over several starts") {
  const EvaluationRecord record(line(50, "1") + "\n" + line(100, "2", "dev", 7.5) + "\n");
  CHECK(record.has({.step = 50, .checksum = "1"}));
  CHECK(record.has({.step = 100, .checksum = "2", .split = "dev", .weights = "plain"}));
  CHECK_FALSE(record.has({.step = 150, .checksum = "3"}));
  CHECK(record.wall_seconds() == 7.5);
}

TEST_CASE("evaluation record: another split, or other weights, is another evaluation") {
  const EvaluationRecord record(line(50, "1") + "\n");
  CHECK_FALSE(record.has({.step = 50, .checksum = "1", .split = "test"}));
  CHECK_FALSE(record.has({.step = 50, .checksum = "1", .weights = "ema"}));
}

TEST_CASE("evaluation record: a checkpoint that was written again replaces the former one") {
  EvaluationRecord record(line(50, "1") + "\n" + line(100, "2") + "\n");
  CHECK_FALSE(record.has({.step = 50, .checksum = "9"}));
  CHECK(record.add(line(50, "9")));
  CHECK(record.text() == line(100, "2") + "\n" + line(50, "9") + "\n");
  CHECK_FALSE(record.add(line(50, "9", "test")));
}

TEST_CASE("evaluation record: what is no whole line of an evaluation is left out") {
  const EvaluationRecord record("{\"kind\": \"start\", \"step\": 0}\n" + line(50, "1") + "\nno JSON\n" +
                                line(100, "2").substr(0, 40));
  CHECK(record.text() == line(50, "1") + "\n");
}

}  // namespace lockstep
