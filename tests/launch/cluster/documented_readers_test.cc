// The table of docs/from_tensorflow.md that says what TensorFlow's readers and Lockstep make of a TF_CONFIG: a case for
// each of its rows.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "launch/cluster/cluster_plan.h"
#include "launch/cluster/tf_config.h"
#include "launch/readers/estimator_reader.h"
#include "launch/readers/python_error.h"
#include "launch/readers/resolver_reader.h"

namespace lockstep {
namespace {

struct Row {
  std::string what;  // the first column
  std::string tf_config;
};

const Row kRows[] = {
    {"a cluster without a chief", R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})"},
    {"`master` in place of `chief`", R"({"cluster": {"master": ["a:1"]}, "task": {"type": "master", "index": 0}})"},
    {"`master` and `chief`",
     R"({"cluster": {"master": ["a:1"], "chief": ["b:1"]}, "task": {"type": "chief", "index": 0}})"},
    {"several chiefs", R"({"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief", "index": 0}})"},
    {"a chief at an index other than 0",
     R"({"cluster": {"chief": {"1": "a:1"}, "worker": ["b:1"]}, "task": {"type": "worker", "index": 0}})"},
    {"several evaluators in the cluster",
     R"({"cluster": {"chief": ["a:1"], "evaluator": ["b:1", "c:1"]}, "task": {"type": "chief", "index": 0}})"},
    {"an evaluator beside a master", R"({"cluster": {"master": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})"},
    {"an evaluator outside the cluster",
     R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})"},
    {"jobs of other names, with tasks",
     R"({"cluster": {"chief": ["a:1"], "mine": ["b:1"]}, "task": {"type": "chief", "index": 0}})"},
    {"jobs of other names, without tasks",
     R"({"cluster": {"chief": ["a:1"], "mine": []}, "task": {"type": "chief", "index": 0}})"},
    {"a cluster, and no task", R"({"cluster": {"chief": ["a:1"]}})"},
    {"a task without an index", R"({"cluster": {"chief": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker"}})"},
    {"an index below 0",
     R"({"cluster": {"chief": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker", "index": -1}})"},
    {"an index in a gap of a sparse map",
     R"({"cluster": {"chief": ["a:1"], "worker": {"0": "b:1", "2": "c:1"}}, "task": {"type": "worker", "index": 1}})"},
    {"an index of a sparse map that is not below the number of tasks",
     R"({"cluster": {"chief": ["a:1"], "worker": {"2": "b:1"}}, "task": {"type": "worker", "index": 2}})"},
    {"a task of a job that the cluster lacks",
     R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "worker", "index": 0}})"},
    {"no cluster, and a task other than worker 0", R"({"task": {"type": "ps", "index": 0}})"},
    {"no cluster, and an evaluator as task", R"({"task": {"type": "evaluator", "index": 0}})"},
    {"an index as text, `\"1\"`",
     R"({"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"]}, "task": {"type": "worker", "index": "1"}})"},
    {"an address that is empty or occurs twice",
     R"({"cluster": {"chief": ["a:1"], "worker": ["a:1", ""]}, "task": {"type": "chief", "index": 0}})"},
    {"an address with a scheme, `grpc://h1:2222`",
     R"({"cluster": {"chief": ["a:1"], "worker": ["grpc://b:1"]}, "task": {"type": "chief", "index": 0}})"},
    {"a job `local`", R"({"cluster": {"local": ["a:1"]}, "task": {"type": "local", "index": 0}})"},
    {"`sparseCluster` instead of `cluster`",
     R"({"sparseCluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}})"},
    {"a name that occurs twice in an object",
     R"({"cluster": {"chief": ["a:1"], "chief": ["b:1"]}, "task": {"type": "chief", "index": 0}})"},
};

// The cells of the table, row by row, without its head.
std::vector<std::vector<std::string>> page_rows() {
  std::ifstream page(LOCKSTEP_FROM_TENSORFLOW_PAGE);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  while (std::getline(page, line) && line != "| TF_CONFIG | estimator | tf.distribute | Lockstep |") continue;
  std::getline(page, line);  // the line below the head
  while (std::getline(page, line) && line.starts_with("| ")) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (std::size_t begin = 2, end = 0; (end = line.find(" |", begin)) != std::string::npos; begin = end + 3) {
      cells.push_back(line.substr(begin, end - begin));
    }
  }
  return rows;
}

bool estimator_takes(const std::string& tf_config) {
  try {
    read_as_estimator(tf_config);
    return true;
  } catch (const PythonError&) {
    return false;
  }
}

bool resolver_takes(const std::string& tf_config) {
  const TfConfigReading reading = read_as_resolver(tf_config);
  const Json fields = reading.fields;
  return !reading.refusal && fields.find("master")->find("error") == nullptr;
}

// The word that the last column has to have.
std::string lockstep_says(const std::string& tf_config) {
  try {
    const TfConfig config = read_tf_config(tf_config, "TF_CONFIG");
    const ClusterPlan plan = plan_cluster(config, {});
    return config.warnings.empty() && plan.warnings.empty() ? "takes it" : "warning";
  } catch (const Error&) {
    return "refused";
  }
}

}  // namespace

TEST_CASE("docs/from_tensorflow.md says what readers make of TF_CONFIG") {
  const auto rows = page_rows();
  CHECK(rows.size() == std::size(kRows));
  for (const auto& cells : rows) {
    REQUIRE(cells.size() == 4);
    CAPTURE(cells[0]);
    const auto* const row = std::ranges::find(kRows, cells[0], &Row::what);
    REQUIRE(row != std::end(kRows));
    CHECK(cells[1].starts_with("takes") == estimator_takes(row->tf_config));
    CHECK(cells[2].starts_with("takes") == resolver_takes(row->tf_config));
    CHECK(cells[3].find(lockstep_says(row->tf_config)) != std::string::npos);
  }
}

}  // namespace lockstep
