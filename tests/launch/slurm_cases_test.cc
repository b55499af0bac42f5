// Reference cases of TensorFlow's SlurmClusterResolver, kept next to the checkout. slurm_lists_test.cc and
// translate_test.cc have the same grammar compiled in, so that it is tested without that folder, too.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "launch/tools/translate.h"
#include "support/fake_environment.h"
#include "support/reference_cases.h"

namespace lockstep {
namespace {

std::string text_in(const Json& object, std::string_view name) {
  const Json* member = object.find(name);
  const auto* text = member == nullptr ? nullptr : member->as<std::string>();
  return text == nullptr ? "" : *text;
}

bool is_valid(const Json& test) {
  const Json* valid = test.find("valid");
  REQUIRE(valid != nullptr);
  return *valid->as<bool>();
}

// Returns the output; nothing if it is refused.
std::optional<Json> translated(const std::vector<std::string>& args) {
  std::string printed;
  try {
    translate(
        args, fake_environment({}), [&printed](std::string_view text) { printed += text; }, [](std::string_view) {});
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::usage);
    CHECK_FALSE(std::string(error.what()).empty());
    return std::nullopt;
  }
  return parse_json(printed);
}

void check_list(const Json& test, const std::string& flag) {
  const std::string input = text_in(test, "input");
  CAPTURE(input);
  const std::optional<Json> list = translated({"--" + flag + "=" + input});
  CHECK(list.has_value() == is_valid(test));
  if (list && is_valid(test)) CHECK(*list == *test.find("output"));
}

// The ranks' places: addresses of a cluster, with ports from 8888 on per host, over all of its jobs in order.
std::vector<std::string> addresses_of(const Json& cluster) {
  std::vector<std::string> addresses;
  for (const auto& [job, tasks] : *cluster.as<Json::Object>()) {
    for (const Json& address : *tasks.as<Json::Array>()) addresses.push_back(*address.as<std::string>());
  }
  return addresses;
}

// TensorFlow's ranks go by the hosts' names sorted as text, Slurm's by the list: only a sorted list can be compared.
// Returns whether this one could.
bool check_places(const Json& test) {
  CAPTURE(text_in(test, "name"));
  const Json& environment = *test.find("env");
  const std::string hostlist = text_in(environment, "SLURM_STEP_NODELIST");
  const std::optional<Json> hosts = translated({"--hostlist=" + hostlist});
  const std::optional<Json> ranks =
      translated({"--hostlist=" + hostlist, "--tasks_per_node=" + text_in(environment, "SLURM_STEP_TASKS_PER_NODE")});
  REQUIRE(hosts);
  REQUIRE(ranks);
  std::vector<std::string> names;
  for (const Json& host : *hosts->as<Json::Array>()) names.push_back(*host.as<std::string>());
  if (std::ranges::adjacent_find(names, std::ranges::greater_equal()) != names.end()) return false;
  std::vector<std::string> places;
  for (const Json& rank : *ranks->as<Json::Array>()) {
    places.push_back(text_in(rank, "host") + ":" + std::to_string(8888 + *rank.find("local_rank")->as<std::int64_t>()));
  }
  CHECK(places == addresses_of(*test.find("output")->find("cluster")));
  return true;
}

}  // namespace

TEST_CASE("translate: the reference cases of Slurm's lists") {
  const std::optional<Json> all = reference_cases("slurm_cases.json");
  if (!all) return;
  std::map<std::string, int> checked;  // by kind
  for (const Json& test : *all->find("cases")->as<Json::Array>()) {
    const std::string kind = text_in(test, "kind");
    if (kind == "resolve") {
      if (is_valid(test) && check_places(test)) ++checked[kind];
    } else {
      check_list(test, kind);
      ++checked[kind];
    }
  }
  for (const char* kind : {"hostlist", "tasks_per_node", "resolve"}) CHECK(checked[kind] > 0);
}

}  // namespace lockstep
