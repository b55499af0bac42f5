#include "train/schedule/evaluate/evaluation_record.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <ctime>

namespace lockstep {
namespace {

std::string line(std::int64_t step, const char* checksum, const char* split = "dev", double wall_seconds = 1) {
  return fmt::format(R"({{"kind": "eval", "step": {}, "wall_seconds": {}, "split": "{}", "loss": 0.5, )"
                     R"("samples": 8, "checksum": "{}", "weights": "plain"}})",
                     step, wall_seconds, split, checksum);
}

EvaluationRecord::Key key(std::int64_t step, const char* checksum) {
  return {.step = step, .checksum = checksum, .split = "dev", .weights = "plain", .samples = 8};
}

}  // namespace

TEST_CASE("evaluation record: what was evaluated, over several starts") {
  const EvaluationRecord record(line(50, "1") + "\n" + line(100, "2", "dev", 7.5) + "\n");
  CHECK(record.has(key(50, "1")));
  CHECK(record.has(key(100, "2")));
  CHECK_FALSE(record.has(key(150, "3")));
  CHECK(record.evaluated() == 2);
  CHECK(record.wall_seconds() == 7.5);
}

TEST_CASE("evaluation record: another split, other weights or fewer samples are another evaluation") {
  const EvaluationRecord record(line(50, "1") + "\n");
  EvaluationRecord::Key other = key(50, "1");
  other.split = "test";
  CHECK_FALSE(record.has(other));
  other = key(50, "1");
  other.weights = "ema";
  CHECK_FALSE(record.has(other));
  other = key(50, "1");
  other.samples = 4;
  CHECK_FALSE(record.has(other));
}

TEST_CASE("evaluation record: a checkpoint that was written again takes back the later steps") {
  EvaluationRecord record(line(50, "1") + "\n" + line(100, "2") + "\n" + line(100, "2", "test") + "\n");
  CHECK(record.add(line(50, "9")));
  CHECK(record.text() == line(50, "9") + "\n" + line(100, "2", "test") + "\n");
  CHECK_FALSE(record.add(line(150, "3")));
}

TEST_CASE("evaluation record: the same checkpoint again replaces its own line, and lines stand by step") {
  EvaluationRecord record(line(50, "1") + "\n" + line(100, "2") + "\n");
  CHECK(record.add(line(50, "1", "dev", 9)));
  CHECK(record.add(line(20, "0")));
  CHECK(record.text() == line(20, "0") + "\n" + line(50, "1", "dev", 9) + "\n" + line(100, "2") + "\n");
}

TEST_CASE("evaluation record: a step that was missed has a line, until it is evaluated after all") {
  const std::string missed =
      R"({"kind": "event", "step": 100, "wall_seconds": 2, "event": "missed", "split": "dev", "weights": "plain"})";
  EvaluationRecord record(line(50, "1") + "\n" + missed + "\n");
  CHECK(record.evaluated() == 1);
  CHECK(record.missed() == 1);
  CHECK(record.knows(50, "dev", "plain"));
  CHECK(record.knows(100, "dev", "plain"));
  CHECK_FALSE(record.knows(100, "test", "plain"));
  CHECK_FALSE(record.knows(100, "dev", "ema"));
  CHECK_FALSE(record.knows(150, "dev", "plain"));
  CHECK_FALSE(record.add(line(150, "3")));
  CHECK(record.text() == line(50, "1") + "\n" + missed + "\n" + line(150, "3") + "\n");
  CHECK(record.add(line(100, "2")));
  CHECK(record.text() == line(50, "1") + "\n" + line(100, "2") + "\n" + line(150, "3") + "\n");
  CHECK(record.missed() == 0);
}

TEST_CASE("evaluation record: lines of a step stay in the order in which they came, over what replaces them") {
  EvaluationRecord record(line(50, "1") + "\n" + line(50, "1", "test") + "\n" + line(50, "1", "train") + "\n");
  CHECK_FALSE(record.add(line(60, "2", "test")));
  CHECK(record.add(line(50, "1", "test", 3)));
  CHECK(record.text() == line(50, "1") + "\n" + line(50, "1", "train") + "\n" + line(50, "1", "test", 3) + "\n" +
                             line(60, "2", "test") + "\n");
}

// Decreasing steps, each but the first and the last twice: no line belongs at the end, and each second one replaces
// another.
TEST_CASE("evaluation record: a hundred thousand lines are read in a time that grows with their number alone") {
  constexpr std::int64_t kLines = 100'000;
  std::string text;
  for (std::int64_t i = 0; i < kLines; ++i)
    text += line((kLines - i) / 2, "1", (kLines - i) % 4 < 2 ? "dev" : "test") + "\n";
  const std::clock_t begin = std::clock();
  const EvaluationRecord record(text);
  const auto seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  CHECK(seconds < 20);  // processor time: less than one; minutes if each line were searched among all
  CHECK(record.evaluated() == kLines / 2 + 1);
}

TEST_CASE("evaluation record: what is no whole line of an evaluation is left out") {
  const EvaluationRecord record("{\"kind\": \"start\", \"step\": 0}\n" + line(50, "1") + "\nno JSON\n" +
                                line(100, "2").substr(0, 40));
  CHECK(record.text() == line(50, "1") + "\n");
  CHECK(record.foreign());
}

TEST_CASE("evaluation record: what a killed evaluator leaves is its own, anything else is not") {
  const std::string whole = line(50, "1") + "\n";
  CHECK_FALSE(EvaluationRecord("").foreign());
  CHECK_FALSE(EvaluationRecord(whole + line(100, "2").substr(0, 40)).foreign());
  for (const std::string& other : {std::string("garbage\n"), std::string("cut off"), std::string("\0\n", 2),
                                   std::string("{\n"), std::string(R"({"kind": "start", "step": 0})") + "\n",
                                   line(-5, "1") + "\n", std::string(R"({"kind": "eval", "step": 50})") + "\n"}) {
    CAPTURE(other);
    CHECK(EvaluationRecord(whole + other).foreign());
  }
}

TEST_CASE("evaluation record: how many samples a line is about") {
  const EvaluationRecord record(line(50, "1") + "\n");
  CHECK(record.samples(50, "dev", "plain") == 8);
  CHECK(record.samples(100, "dev", "plain") == 0);
}

}  // namespace lockstep
