#include "base/json_place.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace lockstep {
namespace {

const Json kCluster = parse_json(R"({
  "cluster": {"worker": ["a:1", "b:1", 7], "ps": []},
  "task": {"type": "worker", "index": 1, "rate": 0.5, "on": true},
  "a.b": null, "": {"c d": 1}
})");

std::string refusal(const std::function<void(const JsonPlace&)>& work) {
  try {
    work(JsonPlace(kCluster));
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("json place: values of the kind asked for") {
  const JsonPlace root(kCluster);
  const JsonPlace task = root.member("task");
  CHECK(task.member("type").text() == "worker");
  CHECK(task.member("index").integer() == 1);
  CHECK(task.member("index").number() == 1.0);
  CHECK(task.member("rate").number() == 0.5);
  CHECK(task.member("on").truth());
  CHECK_FALSE(task.find("none").has_value());
  CHECK(root.member("cluster").member("worker").elements()[1].text() == "b:1");
  CHECK(root.member("cluster").member("ps").elements().empty());
  CHECK(JsonPlace(parse_json("18446744073709551616", JsonMode::tolerant)).number() == 0x1p64);

  std::string names;
  for (const auto& [name, value] : root.members()) names += name + "=" + value.path() + ";";
  CHECK(names == R"(cluster=cluster;task=task;a.b=["a.b"];=[""];)");
}

TEST_CASE("json place: an error begins with the place, and says what was found") {
  CHECK(refusal([](const JsonPlace& root) { root.member("cluster").member("worker").elements()[2].text(); }) ==
        "cluster.worker[2]: expected a text, found 7");
  CHECK(refusal([](const JsonPlace& root) { root.member("cluster").member("chief"); }) ==
        "cluster: 'chief' is missing");
  CHECK(refusal([](const JsonPlace& root) { root.member("job"); }) == "'job' is missing");
  CHECK(refusal([](const JsonPlace& root) { root.elements(); }) == "expected a list, found an object");
  CHECK(refusal([](const JsonPlace& root) { root.member("task").member("type").members(); }) ==
        "task.type: expected an object, found \"worker\"");
  CHECK(refusal([](const JsonPlace& root) { root.member("task").member("rate").integer(); }) ==
        "task.rate: expected a whole number of at most 64 bits, found 0.5");
  CHECK(refusal([](const JsonPlace& root) { root.member("task").member("index").truth(); }) ==
        "task.index: expected true or false, found 1");
  CHECK(refusal([](const JsonPlace& root) { root.member("a.b").number(); }) ==
        "[\"a.b\"]: expected a number, found null");
  CHECK(refusal([](const JsonPlace& root) { root.member("").member("c d").refuse("is too small"); }) ==
        R"([""]["c d"]: is too small)");
}

TEST_CASE("json place: what is found is shown as far as it helps") {
  const Json list = Json::Array{Json(std::string(100, 'x'))};
  CHECK_THROWS_WITH_AS(JsonPlace(list).truth(), "expected true or false, found a list", JsonError);
  CHECK_THROWS_WITH_AS(JsonPlace(list).elements()[0].truth(), "[0]: expected true or false, found a text", JsonError);
  CHECK_THROWS_WITH_AS(JsonPlace(Json("\xff")).truth(), "expected true or false, found a text that is not UTF-8",
                       JsonError);
}

}  // namespace lockstep
