#include "launch/readers/estimator_reader.h"

#include <doctest/doctest.h>

#include <string>

#include "launch/readers/python_error.h"

namespace lockstep {
namespace {

Json read(const std::string& tf_config) { return read_as_estimator(tf_config); }

// "TYPE: message".
std::string refusal(const std::optional<std::string>& tf_config, const EstimatorArguments& arguments = {}) {
  try {
    read_as_estimator(tf_config, arguments);
  } catch (const PythonError& error) {
    return error.type() + ": " + error.message();
  }
  return "";
}

std::string task(const std::string& cluster, const std::string& type, const std::string& index) {
  return R"({"cluster": )" + cluster + R"(, "task": {"type": )" + type + R"(, "index": )" + index + "}}";
}

constexpr const char* kHalfSparse = R"({"chief": ["c:1"], "worker": {"0": "w0:1", "2": "w2:1"}})";

}  // namespace

TEST_CASE("estimator: without TF_CONFIG it is worker 0 of 1, and the chief") {
  CHECK(Json(read_as_estimator({})).text() ==
        R"({"role":"worker","task_id":0,"is_chief":true,"num_workers":1,"num_ps":0,"id_in_cluster":0,"master":"",)"
        R"("evaluation_master":"","cluster":{},"device_filters":null,"model_dir":null,"service":null,"warnings":[]})");
  CHECK(read(R"({"cluster": {}, "task": {"index": "0"}})").text() == Json(read_as_estimator({})).text());
}

TEST_CASE("estimator: ids count over the chief, other jobs by name, ps last") {
  const char* cluster =
      R"({"zeta": ["z:1"], "ps": ["p:1"], "worker": ["w:1", "v:1"], "Alpha": ["a:1"], "chief": ["c:1"]})";
  const auto id = [&](const char* type, const char* index) {
    return *read(task(cluster, type, index)).find("id_in_cluster")->as<std::int64_t>();
  };
  CHECK(id("\"chief\"", "0") == 0);
  CHECK(id("\"Alpha\"", "0") == 1);
  CHECK(id("\"worker\"", "1") == 3);
  CHECK(id("\"zeta\"", "0") == 4);
  CHECK(id("\"ps\"", "0") == 5);
  CHECK(*read(task(cluster, "\"zeta\"", "0")).find("device_filters") == Json());
}

TEST_CASE("estimator: sparse jobs") {
  const Json last = read(task(kHalfSparse, "\"worker\"", "2"));
  CHECK(last.find("id_in_cluster")->text() == "3");
  CHECK(last.find("num_workers")->text() == "3");
  CHECK(last.find("master")->text() == "\"grpc://w2:1\"");
  CHECK(last.find("cluster")->text() == R"({"chief":["c:1"],"worker":{"0":"w0:1","2":"w2:1"}})");
  CHECK(refusal(task(kHalfSparse, "\"worker\"", "1")) ==
        "TypeError: can only concatenate str (not \"NoneType\") to str");
  CHECK(refusal(task(R"({"chief": {"1": "c:1"}})", "\"chief\"", "1")) ==
        "ValueError: The \"cluster\" in TF_CONFIG must have only one \"chief\" node.");
}

TEST_CASE("estimator: an index of another type is what int() makes of it") {
  const char* cluster = R"({"chief": ["c:1"], "worker": ["w0:1", "w1:1"]})";
  for (const char* index : {"\"1\"", "1.9", "true", "\" 1 \""}) {
    CHECK(read(task(cluster, "\"worker\"", index)).find("task_id")->text() == "1");
  }
  CHECK(refusal(task(cluster, "\"worker\"", "\"one\"")) == "ValueError: invalid literal for int() with base 10: 'one'");
  CHECK(refusal(task(cluster, "\"worker\"", "null")) ==
        "ValueError: If \"cluster\" is set in TF_CONFIG, task index must be set.");
  CHECK(refusal(task(cluster, "\"worker\"", "99999999999999999999"))
            .starts_with("ValueError: 99999999999999999999 is not a valid task_id for task_type worker in the "
                         "cluster_spec:\nClusterSpec({'chief': ['c:1'], 'worker': ['w0:1', 'w1:1']})\n\nNote that "
                         "these values may be"));
  CHECK(refusal(task(cluster, "5", "0")).starts_with("ValueError: 5 is not a valid task_type in the cluster_spec:"));
  CHECK(refusal(task(cluster, "0", "0")).ends_with("task type must be set."));
}

TEST_CASE("estimator: the order of its checks") {
  CHECK(refusal(R"({"cluster": {"chief": ["a:1", "b:1"]}})").find("only one \"chief\" node") != std::string::npos);
  CHECK(refusal(R"({"cluster": {"worker": ["a:1"]}, "task": null})").find("must have one") != std::string::npos);
  CHECK(refusal(R"({"cluster": {"chief": ["a:1"]}, "task": null})") ==
        "AttributeError: 'NoneType' object has no attribute 'get'");
  CHECK(refusal(R"({"service": [], "cluster": 5})") ==
        "TypeError: If \"service\" is set in TF_CONFIG, it must be a dict. Given <class 'list'>");
  CHECK(refusal(task(R"({"master": ["m:1"], "chief": []})", "\"chief\"", "0"))
            .ends_with("`cluster`, job `chief` is not supported."));
  CHECK(refusal(task(R"({"master": ["m:1"]})", "\"evaluator\"", "0"))
            .ends_with("`cluster`, task_type `evaluator` is not supported."));
  CHECK(refusal(R"({"task": {"type": "ps", "index": []}})").starts_with("TypeError: int() argument must be"));
  CHECK(refusal("null") == "AttributeError: 'NoneType' object has no attribute 'get'");
  // With an empty job between them, a ps task has no id.
  CHECK(refusal(task(R"({"chief": ["c:1"], "worker": [], "ps": ["p:1"]})", "\"ps\"", "0")) ==
        "ValueError: max() arg is an empty sequence");
}

TEST_CASE("estimator: session addresses as given, whatever they are") {
  const char* cluster = R"("cluster": {"chief": ["c:1"], "ps": ["p:1"]}, "task": {"type": "chief", "index": 0})";
  CHECK(read(std::string("{\"session_master\": null, ") + cluster + "}").find("master")->text() == "null");
  CHECK(read(std::string("{\"eval_session_master\": \"e\", ") + cluster + "}").find("evaluation_master")->text() ==
        "\"\"");
  CHECK(read(R"({"cluster": {"chief": ["c:1"]}, "task": {"type": "chief", "index": 0}})").find("master")->text() ==
        "\"\"");
}

TEST_CASE("estimator: an evaluator may have any index, and is in no cluster") {
  const Json evaluator =
      read(R"({"cluster": {"chief": ["c:1"]}, "task": {"type": "evaluator", "index": 100000000000000000000}})");
  CHECK(evaluator.find("task_id")->text() == "100000000000000000000");
  CHECK(evaluator.find("num_workers")->text() == "0");
  CHECK(evaluator.find("cluster")->text() == "{}");
}

TEST_CASE("estimator: the model's folder from the constructor and from TF_CONFIG") {
  CHECK(refusal("{}", {.model_dir = ""}) == "ValueError: model_dir should be non-empty.");
  CHECK(refusal(R"({"model_dir": 0})") == "ValueError: model_dir should be non-empty");
  CHECK(refusal(R"({"model_dir": 5})", {.model_dir = "/a"}).ends_with("TF_CONFIG[\"model_dir\"]: 5.\n"));
  CHECK(read(R"({"model_dir": 5})").find("model_dir")->text() == "5");
  CHECK(Json(read_as_estimator(R"({"model_dir": null})", {.model_dir = "/a"})).find("model_dir")->text() == "\"/a\"");
}

TEST_CASE("estimator: a name that stands in it twice is a warning, and the last value counts") {
  const Json twice = read(R"({"session_master": "a", "session_master": "b"})");
  CHECK(twice.find("master")->text() == "\"b\"");
  CHECK(twice.find("warnings")->as<Json::Array>()->size() == 1);
}

}  // namespace lockstep
