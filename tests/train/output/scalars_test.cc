#include "train/output/scalars.h"

#include <doctest/doctest.h>

#include <cmath>

namespace lockstep {

using Values = std::vector<std::pair<std::string, double>>;

TEST_CASE("the numbers of a train line, in its order; words and switches are none") {
  const auto scalars = scalars_of(parse_json(
      R"({"kind": "train", "step": 20, "wall_seconds": 8, "loss": 2, "local": true, "grad_norm": 0.1, "note": "3"})"));
  REQUIRE(scalars);
  CHECK(scalars->step == 20);
  CHECK(scalars->wall_seconds == 8);
  CHECK(scalars->split.empty());
  CHECK(scalars->values == Values{{"loss", 2}, {"grad_norm", 0.1}});
}

TEST_CASE("an eval line's have a split; null was not finite") {
  const auto scalars =
      scalars_of(parse_json(R"({"kind": "eval", "step": 0, "wall_seconds": 0.5, "split": "dev", "loss": null})"));
  REQUIRE(scalars);
  CHECK(scalars->split == "dev");
  REQUIRE(scalars->values.size() == 1);
  CHECK(scalars->values[0].first == "loss");
  CHECK(std::isnan(scalars->values[0].second));
}

TEST_CASE("other lines, and what is no line, have none") {
  for (const char* text :
       {R"({"kind": "event", "step": 3, "bytes": 7})", R"({"kind": "train", "loss": 7})",
        R"({"kind": "train", "step": 1.5})", R"({"step": 1})", R"({"kind": "eval", "step": 1, "loss": 2})",
        R"({"kind": 1, "step": 1})", "[1]", "3", "null", "{}"}) {
    CAPTURE(text);
    CHECK(!scalars_of(parse_json(text)));
  }
}

}  // namespace lockstep
