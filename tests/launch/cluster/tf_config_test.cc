#include "launch/cluster/tf_config.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"

namespace lockstep {
namespace {

TfConfig read(const std::string& text) { return read_tf_config(text, "TF_CONFIG"); }

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::configuration);
    CHECK(error.scope() == Scope::this_rank);
    return error.what();
  }
  return "taken";
}

std::string warnings(const std::string& text) {
  std::string all;
  for (const std::string& warning : read(text).warnings) all += warning + "\n";
  return all;
}

// Returns a TF_CONFIG with that cluster and task.
std::string config(const std::string& cluster, const std::string& task) {
  return R"({"cluster": )" + cluster + R"(, "task": )" + task + "}";
}

constexpr const char* kChiefAndWorkers = R"({"chief": ["c:1"], "worker": ["w0:1", "w1:1"]})";

}  // namespace

TEST_CASE("TF_CONFIG: what both readers take is taken without a word") {
  const TfConfig taken = read(
      R"({"cluster": {"chief": ["h0:1"], "ps": ["h1:1"], "worker": ["h2:1", "h3:1"]},
          "task": {"type": "worker", "index": 1}, "environment": "cloud", "rpc_layer": "grpc", "job": {}, "trial": "5"})");
  CHECK(taken.cluster.tasks() == 4);
  CHECK(taken.task == TaskName{"worker", 1});
  CHECK(taken.environment == "cloud");
  CHECK(taken.warnings.empty());
  CHECK(read("{}").cluster.jobs.empty());
  CHECK_FALSE(read("{}").task.has_value());
  CHECK(read("{}").warnings.empty());
  CHECK(read(config(kChiefAndWorkers, R"({"type": "evaluator", "index": 12})")).warnings.empty());
  CHECK(read(config(R"({"chief": ["c"], "ps": []})", R"({"type": "chief", "index": 0})")).warnings.empty());
}

TEST_CASE("TF_CONFIG: an index as int() reads it, but nothing is cut off") {
  const auto index = [](const std::string& written) {
    return config(kChiefAndWorkers, R"({"type": "worker", "index": )" + written + "}");
  };
  for (const char* written : {"1", "\"1\"", "\" 01 \"", "1.0"}) CHECK(read(index(written)).task->index == 1);
  for (const char* written : {"1.5", "true", "\"one\"", "\"\"", "[1]", "1e300", "\"99999999999999999999\""}) {
    CAPTURE(written);
    CHECK(refusal(index(written)).starts_with("TF_CONFIG: task.index: expected the task's number within its job"));
  }
  CHECK(refusal(index("null")) == "TF_CONFIG: task.index: it is missing; cluster.worker has 2 tasks, the first is 0");
  CHECK(refusal(index("-1")) == "TF_CONFIG: task.index: -1 is no task of cluster.worker, whose last index is 1");
  CHECK(refusal(index("2")) == "TF_CONFIG: task.index: 2 is no task of cluster.worker, whose last index is 1");
}

TEST_CASE("TF_CONFIG: what both readers refuse is refused, with the place") {
  CHECK(refusal(config(R"({"chief": ["a:1", "b:1"]})", R"({"type": "chief", "index": 0})")) ==
        "TF_CONFIG: cluster.chief: there can be one chief only, at index 0; name the others under \"worker\"");
  CHECK(refusal(config(kChiefAndWorkers, R"({"type": "Worker", "index": 0})")) ==
        "TF_CONFIG: task.type: 'Worker' is no job of the cluster (did you mean 'worker'?); name the job that this "
        "process "
        "belongs to");
  CHECK(refusal(config(kChiefAndWorkers, R"({"type": "cheif", "index": 0})"))
            .starts_with("TF_CONFIG: task.type: 'cheif' is no job of the cluster (did you mean 'chief'?); "));
  CHECK(refusal(config(kChiefAndWorkers, R"({"type": "", "index": 0})")).starts_with("TF_CONFIG: task.type: "));
  CHECK(refusal(config(kChiefAndWorkers, R"({"type": 5, "index": 0})")) ==
        "TF_CONFIG: task.type: expected a text, found 5");
  CHECK(refusal(config(kChiefAndWorkers, "5")).starts_with("TF_CONFIG: task: expected this process's task"));
  CHECK(refusal(config(kChiefAndWorkers, "null")).starts_with("TF_CONFIG: task: expected this process's task"));
  CHECK(refusal(config("null", "{}")).starts_with("TF_CONFIG: cluster: expected the cluster's jobs"));
  CHECK(refusal(config(R"({"master": ["m:1"], "chief": ["c:1"]})", R"({"type": "chief", "index": 0})"))
            .starts_with("TF_CONFIG: cluster.chief: there is a master already; keep one of chief and master"));
  CHECK(refusal(config(R"({"master": ["m:1"]})", R"({"type": "evaluator", "index": 0})"))
            .starts_with("TF_CONFIG: task.type: there is no evaluator beside a master"));
  CHECK(refusal(config(R"({"worker1": ["a:1"], "worker2": ["b:1"]})", R"({"type": "worker1", "index": 0})")) ==
        "TF_CONFIG: cluster.worker1: there are the jobs chief, worker, ps and evaluator only (did you mean 'worker'?) "
        "(and for the estimator's reader: cluster: it has no chief; add \"chief\": [\"host:port\"])");
  // Without a cluster, worker 0 is the only task.
  CHECK(refusal(R"({"task": {"type": "chief", "index": 0}})")
            .starts_with("TF_CONFIG: task.type: 'chief' needs a cluster"));
  CHECK(refusal(R"({"task": {"type": "worker", "index": 1}})").starts_with("TF_CONFIG: task.index: 1 needs a cluster"));
}

TEST_CASE("TF_CONFIG: where the readers disagree, a warning says which would say what") {
  CHECK(
      warnings(config(R"({"worker": ["a:1", "b:1"]})", R"({"type": "worker", "index": 1})")) ==
      "TF_CONFIG: the estimator's reader would refuse it, cluster: it has no chief; add \"chief\": [\"host:port\"]\n");
  CHECK(warnings(config(R"({"master": ["m:1"], "ps": ["p:1"]})", R"({"type": "ps", "index": 0})")) ==
        "TF_CONFIG: tf.distribute's reader would refuse it, cluster.master: there are the jobs chief, worker, ps and "
        "evaluator only\n");
  CHECK(warnings(R"({"cluster": {"chief": ["c:1"]}})") ==
        "TF_CONFIG: the estimator's reader would refuse it, task.type: it is missing; add \"task\": {\"type\": ..., "
        "\"index\": ...}\n");
  CHECK(warnings(R"({"task": {"type": "worker"}})").starts_with("TF_CONFIG: tf.distribute's reader would refuse it"));
  CHECK(warnings(R"({"task": {"type": "evaluator", "index": 0}})").starts_with("TF_CONFIG: the estimator's reader"));
  // In a sparse job the estimator uses the last index, tf.distribute the number of tasks.
  const std::string sparse = R"({"chief": ["c:1"], "worker": {"0": "a:1", "2": "b:1"}})";
  CHECK(warnings(config(sparse, R"({"type": "worker", "index": 2})")) ==
        "TF_CONFIG: tf.distribute's reader would refuse it, task.index: 2 is not below the number of tasks in "
        "cluster.worker, which is 2\n");
  CHECK(warnings(config(sparse, R"({"type": "worker", "index": 0})")).empty());
  CHECK(refusal(config(sparse, R"({"type": "worker", "index": 1})")) ==
        "TF_CONFIG: task.index: 1 is no task of cluster.worker, whose last index is 2");
  // The missing chief is not the reason for which this text is refused.
  CHECK(refusal(config(R"({"worker": {"1": "b:1"}})", R"({"type": "worker", "index": 0})")) ==
        "TF_CONFIG: task.index: 0 is no task of cluster.worker, whose last index is 1 (and for the estimator's reader: "
        "cluster: it has no chief; add \"chief\": [\"host:port\"])");
  CHECK(warnings(config(R"({"chief": {"1": "c:1"}, "worker": ["w:1"]})", R"({"type": "worker", "index": 0})"))
            .starts_with("TF_CONFIG: the estimator's reader would refuse it, cluster.chief: "));
}

TEST_CASE("TF_CONFIG: an evaluator without an index is the first") {
  CHECK(read(config(kChiefAndWorkers, R"({"type": "evaluator"})")).task == TaskName{"evaluator", 0});
}

TEST_CASE("TF_CONFIG: what means nothing here is said") {
  CHECK(warnings(R"({"session_master": "m", "service": 5})") ==
        "TF_CONFIG: session_master: it is ignored: there are no sessions here\n"
        "TF_CONFIG: service: it is ignored: there are no sessions here\n");
  CHECK(warnings(R"({"model_dir": ""})") ==
        "TF_CONFIG: model_dir: it is ignored: --output_dir says where the run lies\n");
  CHECK(warnings(R"({"clusters": {}})") ==
        "TF_CONFIG: clusters: no reader knows it, and it is ignored (did you mean 'cluster'?)\n");
  CHECK(warnings(R"({"environment": 5})") == "TF_CONFIG: environment: 5 is no text, and is ignored\n");
  CHECK(read(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1})").warnings.size() == 6);
}

TEST_CASE("TF_CONFIG: addresses that are mistakes as a rule") {
  const std::string task = R"({"type": "chief", "index": 0})";
  CHECK(warnings(config(R"({"chief": ["a:1"], "worker": ["a:1", "a:1"]})", task)) ==
        "TF_CONFIG: cluster: chief 0 and worker 0 are both at 'a:1', and 1 more are; they count as separate tasks\n");
  CHECK(warnings(config(R"({"chief": ["a:1"], "worker": ["", ""]})", task)) ==
        "TF_CONFIG: cluster: 2 of the addresses are empty\n");
}

TEST_CASE("TF_CONFIG: addresses with a scheme are taken with a warning") {
  CHECK(warnings(config(R"({"chief": ["grpc://a:1"], "worker": ["grpc://b:1", "c:1"]})",
                        R"({"type": "chief", "index": 0})")) ==
        "TF_CONFIG: cluster: 'grpc://a:1' has a scheme, and 1 more have; TensorFlow takes host:port only, and here the "
        "host counts\n");
}

TEST_CASE("TF_CONFIG: a job local is taken for worker") {
  const TfConfig taken = read(config(R"({"local": ["localhost:2222"]})", R"({"type": "local", "index": 0})"));
  CHECK(taken.cluster.tasks_of("worker") == 1);
  CHECK(taken.task == TaskName{"worker", 0});
  REQUIRE(taken.warnings.size() == 2);
  CHECK(taken.warnings[0] ==
        "TF_CONFIG: cluster.local: it is taken for cluster.worker, since there is no role for a job local");
  CHECK(refusal(config(R"({"local": ["a:1"], "worker": ["b:1"]})", R"({"type": "local", "index": 0})"))
            .starts_with("TF_CONFIG: cluster.local: there are the jobs chief"));
}

TEST_CASE("TF_CONFIG: sparseCluster, which operators have written, is refused by name") {
  CHECK(refusal(R"({"sparseCluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}})") ==
        "TF_CONFIG: sparseCluster: it is not read; name it cluster, whose jobs may be maps from index to address as "
        "well");
}

TEST_CASE("TF_CONFIG: hostile texts are refused") {
  CHECK(refusal("") == "TF_CONFIG: it is set, but empty; unset TF_CONFIG, or describe the cluster in it");
  try {
    read_tf_config("", "--tf_config");
    FAIL("taken");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "--tf_config: it is set, but empty; leave out --tf_config, or describe the cluster in it");
  }
  CHECK(refusal(" \n").starts_with("TF_CONFIG: it is set, but empty"));
  CHECK(refusal("{cluster").starts_with("TF_CONFIG: it is not JSON at character 2"));
  CHECK(refusal("[]") == R"(TF_CONFIG: expected {"cluster": {...}, "task": {...}}, found [])");
  CHECK(refusal("null").starts_with("TF_CONFIG: expected {"));
  CHECK(refusal(R"({"cluster": {"chief": ["a:1"], "chief": ["b:1"]}})") ==
        "TF_CONFIG: 'cluster.chief' stands in it twice; keep one");
  CHECK(refusal(R"({"cluster": {"chief": ["a:1"], "worker": {"1": "b:1", "1": "c:1"}}})") ==
        "TF_CONFIG: 'cluster.worker.1' stands in it twice; keep one");
  CHECK(
      refusal(R"({"environment": )" + std::string(40, '[') + std::string(40, ']') + "}").find("more than 32 levels") !=
      std::string::npos);
  CHECK(refusal(std::string(300000, '[')).find("more than 32 levels") != std::string::npos);
  CHECK(refusal("{\"cluster\": {\"chief\": [\"\xff\"]}}").find("UTF-8") != std::string::npos);
  CHECK(refusal(R"({"task": {"index": 99999999999999999999}})").find("'task.index' has the value") !=
        std::string::npos);
  CHECK(refusal(std::string(kMaxTfConfigBytes + 1, ' ') + "{}") ==
        "TF_CONFIG: it has 67108867 bytes, more than 67108864");
}

TEST_CASE("TF_CONFIG: as text, and back") {
  const TfConfig taken =
      read(config(R"({"chief": ["c:1"], "worker": {"0": "a:1", "2": "b:1"}})", R"({"type": "worker", "index": 0})"));
  const std::string text = tf_config_text(taken.cluster, {"worker", 2}, "cloud");
  CHECK(text == R"({"cluster": {"chief": ["c:1"], "worker": {"0": "a:1", "2": "b:1"}}, )"
                R"("task": {"type": "worker", "index": 2}, "environment": "cloud"})");
  CHECK(read(text).cluster == taken.cluster);
  CHECK(read(text).task == TaskName{"worker", 2});
  CHECK(tf_config_text({}, {"worker", 0}) == R"({"cluster": {}, "task": {"type": "worker", "index": 0}})");
}

}  // namespace lockstep
