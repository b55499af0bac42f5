#include "lease/record.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "base/json.h"

namespace lockstep {
namespace {

LeaseRecord example() {
  return {.token = "0123abcd",
          .job_id = "slurm 1234",
          .host = "node3",
          .boot_id = "7a3f",
          .pid_namespace = "pid:[4026531836]",
          .pid = 4711,
          .process_start = 99,
          .step = 120,
          .heartbeat = 7};
}

std::string without(const std::string& text, const std::string& part, const std::string& replacement = "") {
  std::string result = text;
  const std::size_t at = result.find(part);
  REQUIRE(at != std::string::npos);
  return result.replace(at, part.size(), replacement);
}

TEST_CASE("a record comes back from its text") {
  CHECK(lease_from_text(to_text(example())) == example());
  LeaseRecord odd = example();
  odd.job_id = "";
  odd.host = "a \"host\"\\ with\nodd letters: \xc3\xa4";
  odd.heartbeat = std::numeric_limits<std::int64_t>::max();
  CHECK(lease_from_text(to_text(odd)) == odd);
}

TEST_CASE("a text is one line of JSON and as long for one heartbeat as for another") {
  LeaseRecord record = example();
  const std::string text = to_text(record);
  CHECK(text.find('\n') == text.size() - 1);
  const Json json = parse_json(text);
  REQUIRE(json.find("job_id") != nullptr);
  CHECK(*json.find("job_id")->as<std::string>() == "slurm 1234");
  for (const std::int64_t heartbeat : {std::int64_t{0}, std::int64_t{10}, std::numeric_limits<std::int64_t>::max()}) {
    record.heartbeat = heartbeat;
    CHECK(to_text(record).size() == text.size());
    record.step = heartbeat;
    CHECK(to_text(record).size() == text.size());
  }
}

TEST_CASE("a file of a version that knew no steps is a lease") {
  LeaseRecord record = example();
  const std::string text = to_text(record);
  const std::size_t begin = text.find(R"("step":)");
  const std::size_t end = text.find(R"("heartbeat")");
  REQUIRE(begin < end);
  record.step = 0;
  CHECK(lease_from_text(text.substr(0, begin) + text.substr(end)) == record);
}

TEST_CASE("what is no lease is refused") {
  const std::string text = to_text(example());
  CHECK_THROWS_AS(lease_from_text(""), JsonError);
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {  // the last byte is the line end
    CAPTURE(length);
    CHECK_THROWS_AS(lease_from_text(text.substr(0, length)), JsonError);
  }
  CHECK_THROWS_AS(lease_from_text("[]"), std::invalid_argument);
  CHECK_THROWS_AS(lease_from_text("{}"), std::invalid_argument);
  CHECK_THROWS_AS(lease_from_text(without(text, "4711", "\"4711\"")), std::invalid_argument);
  CHECK_THROWS_AS(lease_from_text(without(text, "host", "ghost")), std::invalid_argument);
  CHECK_THROWS_AS(lease_from_text(without(text, "0123abcd")), std::invalid_argument);  // without a token
  // A later version may add members.
  CHECK(lease_from_text(without(text, "{", R"({"since": 3, )")) == example());
}

TEST_CASE("a holder is named as its user knows it") {
  LeaseRecord record = example();
  CHECK(describe(record) == "job slurm 1234, process 4711 on node3");
  record.job_id = "";
  CHECK(describe(record) == "process 4711 on node3");
  CHECK(describe(LeaseRecord{.token = "x"}) == "an unknown process");
}

}  // namespace
}  // namespace lockstep
