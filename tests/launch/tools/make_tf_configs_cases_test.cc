// Reference output of t2t-make-tf-configs, kept next to the checkout. make_tf_configs_test.cc has the same forms
// compiled in, so that they are tested without that folder, too.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "launch/tools/make_tf_configs.h"
#include "support/json_equal.h"
#include "support/reference_cases.h"

namespace lockstep {
namespace {

const std::string& text_in(const Json& object, std::string_view name) { return *object.find(name)->as<std::string>(); }

// Returns the output; empty if it is refused.
std::string printed_for(const Json& test) {
  std::vector<std::string> args;
  for (const Json& argument : *test.find("argv")->as<Json::Array>()) args.push_back(*argument.as<std::string>());
  const bool succeeds = *test.find("exit_ok")->as<bool>();
  std::string printed;
  try {
    make_tf_configs(
        args, [&printed](std::string_view text) { printed += text; }, [](std::string_view) {});
    CHECK(succeeds);
  } catch (const Error& error) {
    CHECK_FALSE(succeeds);
    CHECK(error.code() == ExitCode::usage);
    CHECK(std::string(error.what()) == text_in(test, "error_message"));
  }
  return printed;
}

// Returns the TF_CONFIG of each job in the output.
std::vector<Json> jobs_in(const std::string& printed) {
  std::vector<Json> jobs;
  for (std::size_t tab = printed.find('\t'); tab != std::string::npos; tab = printed.find('\t', tab + 1)) {
    const std::size_t begin = printed.rfind('\n', tab) + 2;
    jobs.push_back(parse_json(std::string_view(printed).substr(begin, tab - 1 - begin)));
  }
  return jobs;
}

}  // namespace

TEST_CASE("make-tf-configs: the reference cases") {
  const std::optional<Json> all = reference_cases("golden_make_tf_configs.json");
  if (!all) return;
  std::map<std::string, std::vector<Json>> jobs;  // by case
  for (const Json& test : *all->find("cases")->as<Json::Array>()) {
    CAPTURE(text_in(test, "name"));
    const std::string printed = printed_for(test);
    CHECK(printed == text_in(test, "stdout"));
    jobs[text_in(test, "name")] = jobs_in(printed);
    const Json* const expected = test.find("jobs");
    if (expected == nullptr) continue;
    const auto& list = *expected->as<Json::Array>();
    REQUIRE(jobs[text_in(test, "name")].size() == list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      CHECK(equal_in_any_order(jobs[text_in(test, "name")][i], *list[i].find("tf_config")));
    }
  }
  CHECK_FALSE(jobs.empty());
  // Lines of tensor2tensor's documentation, written in another order by older versions of Python.
  for (const Json& example : *all->find("doc_examples_equivalence")->as<Json::Array>()) {
    CAPTURE(text_in(example, "name"));
    const auto found = jobs.find(text_in(example, "equals_case"));
    if (found == jobs.end()) continue;
    const auto index = static_cast<std::size_t>(*example.find("job")->as<std::int64_t>());
    REQUIRE(index < found->second.size());
    CHECK(equal_in_any_order(found->second[index], parse_json(text_in(example, "text"))));
  }
}

}  // namespace lockstep
