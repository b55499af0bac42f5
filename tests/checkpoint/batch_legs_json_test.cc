#include "checkpoint/batch_legs_json.h"

#include <doctest/doctest.h>

#include <string>

#include "base/json.h"

namespace lockstep {

TEST_CASE("batches that an epoch has had come back from JSON as they were") {
  const std::vector<BatchLeg> legs{
      {.buckets = {.batch_tokens = 4096, .max_length = 256, .first_bound = 8, .step = 1.1, .shards = 2}, .batches = 17},
      {.buckets = {.batch_tokens = 1, .max_length = 0, .first_bound = 1, .step = 2, .shards = 1}, .batches = 1}};
  CHECK(legs_from_json(legs_to_json(legs)) == legs);
  CHECK(legs_from_json("[]").empty());
  CHECK(legs_to_json(std::span(legs).first(1)) ==
        R"([{"batch_tokens":4096,"max_length":256,"first_bound":8,"step":1.1,"shards":2,"batches":17}])");
}

TEST_CASE("what no buckets can be is refused") {
  const std::string good = R"([{"batch_tokens":9,"max_length":9,"first_bound":8,"step":1.1,"shards":2,"batches":17}])";
  REQUIRE(legs_from_json(good).size() == 1);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& bad :
       {with("9,", "0,"), with("\"max_length\":9", "\"max_length\":-1"), with("1.1", "1.0"), with("1.1", "2"),
        with("1.1", "\"nan\""), with("17", "0"), with("17", "1.5"), with("17", "99999999999999"),
        with("9,", "2147483648,"), with("\"max_length\":9", "\"max_length\":65537"),
        with("\"shards\":2", "\"shards\":65537"), with("shards", "shard"), std::string("{}"), std::string("[1]"),
        std::string("[")}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(legs_from_json(bad), JsonError);
  }
  std::string many = "[";
  for (int i = 0; i < 1001; ++i) many += (i == 0 ? "" : ",") + good.substr(1, good.size() - 2);
  CHECK_THROWS_AS(legs_from_json(many + "]"), JsonError);
}

}  // namespace lockstep
